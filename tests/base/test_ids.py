import re

from covel_host.base.ids import IdSource
from covel_host.base.random_streams import RandomSource
from plugin_sdk.testing import ManualClock


def test_ids_are_unique_readable_and_ordered_in_time() -> None:
    clock = ManualClock()
    ids = IdSource(RandomSource(7), clock)
    made = []
    for _ in range(200):
        made.append(ids.new("turn"))
        clock.advance(0.001)
    assert len(set(made)) == 200
    assert made == sorted(made)
    assert all(re.fullmatch(r"turn-[a-z0-9]{19}", made_id) for made_id in made)


def test_a_repeated_run_gets_the_same_ids() -> None:
    first = IdSource(RandomSource(7), ManualClock()).new("run")
    assert first == IdSource(RandomSource(7), ManualClock()).new("run")
