from datetime import UTC

import pytest

from covel_host.base.clock import SystemClock
from plugin_sdk.testing import ManualClock


def test_a_manual_clock_moves_both_readings_together() -> None:
    clock = ManualClock()
    start = clock.now()
    clock.advance(90)
    assert (clock.now() - start).total_seconds() == 90
    assert clock.monotonic() == 90


def test_a_clock_does_not_go_back() -> None:
    with pytest.raises(ValueError, match="does not go back"):
        ManualClock().advance(-1)


def test_the_system_clock_is_aware_and_in_utc() -> None:
    assert SystemClock().now().tzinfo is UTC
    assert SystemClock().monotonic() <= SystemClock().monotonic()
