import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.models.limits import CallLimits, CallTimer, first_token_limit_s


def test_first_token_shares_follow_the_known_example() -> None:
    remaining, shares = 120.0, []
    for attempts_left in (4, 3, 2, 1):
        shares.append(first_token_limit_s(remaining, attempts_left))
        remaining -= shares[-1]

    assert shares == [60, 30, 15, 15]


@given(st.floats(0, 10_000), st.integers(2, 20))
def test_an_early_attempt_never_takes_more_than_half_or_two_minutes(
    remaining: float, attempts: int
) -> None:
    limit = first_token_limit_s(remaining, attempts)

    assert 0 <= limit <= min(remaining / 2, 120)


@given(st.floats(0, 10_000))
def test_the_last_attempt_takes_all_that_remains(remaining: float) -> None:
    assert first_token_limit_s(remaining, 1) == remaining


def timer(*, stream: bool = True, started_at: float = 100.0, **limits: int) -> CallTimer:
    return CallTimer(CallLimits(**limits), stream=stream, started_at=started_at)


def test_without_settings_a_call_has_two_minutes() -> None:
    assert timer().expires() == (220.0, "budget")
    assert timer().remaining_s(130.0) == 90.0


def test_every_piece_moves_the_default_budget_up_to_the_ceiling() -> None:
    running = timer()
    running.attempt_started(100.0)
    running.piece_arrived(150.0)
    assert running.expires() == (270.0, "budget")

    running.piece_arrived(1_890.0)
    assert running.expires() == (1_900.0, "budget")


def test_a_budget_that_is_set_does_not_move() -> None:
    running = timer(budget_ms=40_000)
    running.attempt_started(100.0)
    running.piece_arrived(130.0)

    assert running.expires() == (140.0, "budget")


def test_a_budget_with_an_idle_limit_moves_with_the_stream() -> None:
    running = timer(budget_ms=40_000, idle_ms=20_000, ceiling_ms=70_000)
    running.attempt_started(100.0)
    running.piece_arrived(130.0)
    assert running.expires() == (150.0, "budget")

    running.piece_arrived(165.0)
    assert running.expires()[0] == 170.0


def test_silence_ends_a_stream_before_the_budget_does() -> None:
    running = timer(idle_ms=5_000)
    running.attempt_started(100.0)
    running.piece_arrived(110.0)

    assert running.expires() == (115.0, "idle")


def test_the_first_piece_is_told_from_the_others() -> None:
    running = timer()
    running.attempt_started(100.0)

    assert not running.output_started
    assert running.piece_arrived(101.0) is True
    assert running.piece_arrived(102.0) is False
    assert running.output_started


def test_a_set_first_token_limit_is_used_as_written() -> None:
    running = timer(first_token_ms=9_000, attempts_left=4)
    running.attempt_started(105.0)

    assert running.expires() == (114.0, "first-token")


def test_waiting_between_requests_pauses_the_first_token_clock() -> None:
    running = timer(first_token_ms=9_000)
    running.attempt_started(100.0)
    running.attempt_ended()
    assert running.expires() == (220.0, "budget")

    running.attempt_started(150.0)
    assert running.expires() == (159.0, "first-token")


def test_an_unstreamed_request_has_a_limit_of_its_own() -> None:
    running = timer(stream=False, budget_ms=400_000, call_ms=30_000)
    running.attempt_started(110.0)

    assert running.expires() == (140.0, "call")


@given(st.lists(st.floats(0, 50), max_size=30), st.sampled_from([None, 3_000, 60_000]))
def test_pieces_never_bring_the_end_of_the_budget_nearer(
    gaps: list[float], idle_ms: int | None
) -> None:
    running = CallTimer(CallLimits(idle_ms=idle_ms), stream=True, started_at=0.0)
    running.attempt_started(0.0)
    now = 0.0
    for gap in gaps:
        now += gap
        before = now + running.remaining_s(now)
        running.piece_arrived(now)
        assert now + running.remaining_s(now) >= min(before, 1_800) - 1e-6


@pytest.mark.parametrize("now", [220.0, 500.0])
def test_nothing_remains_after_the_end(now: float) -> None:
    assert timer().remaining_s(now) == 0
