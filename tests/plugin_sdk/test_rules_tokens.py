"""The token estimate: its algebra and its figures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugin_sdk.rules.tokens import estimate_tokens

texts = st.text(st.characters(exclude_categories=()))


@given(texts, texts)
def test_adding_text_never_lowers_the_estimate(left: str, right: str) -> None:
    together = estimate_tokens(left + right)
    assert together >= max(estimate_tokens(left), estimate_tokens(right))


@given(texts, texts)
def test_a_text_costs_at_most_its_pieces(left: str, right: str) -> None:
    apart = estimate_tokens(left) + estimate_tokens(right)
    assert apart - 1 <= estimate_tokens(left + right) <= apart


@given(texts)
def test_only_the_empty_text_is_free(text: str) -> None:
    assert (estimate_tokens(text) == 0) == (text == "")


@pytest.mark.parametrize(
    ("text", "characters_per_token"),
    [
        ("The tide came in slowly over the stones, and nobody on the pier spoke.", (3.8, 4.6)),
        ('{"name":"Mira","age":12,"tags":["sailor","guide"]}', (2.2, 3.2)),
        ("潮水慢慢漫过石头，码头上没有人说话。", (0.9, 1.1)),
        ("Прилив медленно заливал камни.", (1.8, 2.6)),
        ("Mira 说：“the tide is in”。", (1.4, 2.4)),
    ],
)
def test_figures_per_kind_of_text(text: str, characters_per_token: tuple[float, float]) -> None:
    lowest, highest = characters_per_token
    assert lowest <= len(text) / estimate_tokens(text) <= highest
