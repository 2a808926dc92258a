from hypothesis import given
from hypothesis import strategies as st

from covel_host.base.random_streams import RandomSource

LABELS = st.lists(st.text() | st.integers(), max_size=4)


@given(st.integers(), LABELS)
def test_equal_seed_and_labels_give_equal_draws(seed: int, labels: list[str | int]) -> None:
    first, second = RandomSource(seed).stream(*labels), RandomSource(seed).stream(*labels)
    assert [first.random() for _ in range(3)] == [second.random() for _ in range(3)]


def test_the_cut_between_labels_matters() -> None:
    source = RandomSource(1)
    assert source.stream("ab", "c").random() != source.stream("a", "bc").random()


def test_a_drawn_seed_can_be_used_again() -> None:
    source = RandomSource()
    assert RandomSource(source.seed).stream("x").random() == source.stream("x").random()
