"""Debouncing, on a clock that the tests move."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.catalog.watching_pending import LONGEST_S, QUIET_S, TOGETHER_S, PendingPackages

TICK = 0.001


def test_a_package_is_due_after_a_moment_of_quiet() -> None:
    pending = PendingPackages()
    pending.notice("echo", 1.0)
    pending.notice("echo", 1.03)
    assert pending.next_due_s == pytest.approx(1.03 + QUIET_S)
    assert pending.take(1.03 + QUIET_S - TICK) == {}
    assert pending.take(1.03 + QUIET_S + TICK) == {"echo": 1.0}
    assert pending.next_due_s is None


def test_a_busy_package_is_not_put_off_for_ever() -> None:
    pending = PendingPackages()
    now_s = 1.0
    while not pending.take(now_s):
        pending.notice("echo", now_s)
        now_s += QUIET_S / 2
    assert now_s <= 1.0 + LONGEST_S + QUIET_S


def test_a_busy_package_holds_no_other_back() -> None:
    pending = PendingPackages()
    pending.notice("calm", 1.0)
    pending.notice("busy", 1.0)
    pending.notice("busy", 1.04)
    assert pending.take(1.0 + QUIET_S + TICK) == {"calm": 1.0}


def test_packages_due_in_a_moment_are_taken_along() -> None:
    pending = PendingPackages()
    pending.notice("a", 1.0)
    pending.notice("b", 1.0 + TOGETHER_S / 2)
    assert pending.take(1.0 + QUIET_S - TICK) == {}
    assert pending.take(1.0 + QUIET_S + TICK) == {"a": 1.0, "b": 1.0 + TOGETHER_S / 2}


def test_a_package_put_back_waits_anew_and_keeps_when_it_was_noticed() -> None:
    pending = PendingPackages()
    pending.notice("echo", 2.0, first_noticed_s=1.0)
    assert pending.take(2.0 + QUIET_S - TICK) == {}
    assert pending.take(2.0 + QUIET_S + TICK) == {"echo": 1.0}


@given(st.lists(st.floats(0, 5), min_size=1, max_size=40).map(sorted))
def test_everything_noticed_is_taken_within_the_longest_time(times: list[float]) -> None:
    pending = PendingPackages()
    for at_s in times:
        pending.take(at_s)
        pending.notice("echo", at_s)
    due_s = pending.next_due_s
    assert due_s is not None
    assert due_s <= times[-1] + LONGEST_S
    assert pending.take(due_s) != {}
