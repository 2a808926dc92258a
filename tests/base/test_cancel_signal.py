import asyncio

from covel_host.base.cancel_signal import CancelSignal


def test_waiters_wake_and_the_first_reason_stays() -> None:
    async def main() -> tuple[bool, str | None]:
        signal = CancelSignal()
        assert (signal.cancelled, signal.reason) == (False, None)
        waiter = asyncio.ensure_future(signal.wait())
        await asyncio.sleep(0)
        signal.cancel("aborted-by-player")
        signal.cancel("deadline")
        await waiter
        await signal.wait()
        return signal.cancelled, signal.reason

    assert asyncio.run(main()) == (True, "aborted-by-player")


def test_a_follower_is_cancelled_with_the_signal_it_follows() -> None:
    above, other, below = CancelSignal(), CancelSignal(), CancelSignal()
    below.follow(above)
    below.follow(other)
    other.cancel("closing")
    above.cancel("deadline")
    assert (below.cancelled, below.reason) == (True, "closing")
    late = CancelSignal()
    late.follow(above)
    assert late.reason == "deadline"


def test_a_follower_cancels_nothing_above_it() -> None:
    above, below = CancelSignal(), CancelSignal()
    below.follow(above)
    below.cancel("timeout")
    assert not above.cancelled


def test_followers_that_are_gone_are_not_remembered() -> None:
    above, kept = CancelSignal(), CancelSignal()
    kept.follow(above)
    for _ in range(1_000):
        CancelSignal().follow(above)
    assert len(above._followers) < 100
    above.cancel("deadline")
    assert kept.reason == "deadline"


def test_many_living_followers_are_all_cancelled() -> None:
    above = CancelSignal()
    below = [CancelSignal() for _ in range(1_000)]
    for signal in below:
        signal.follow(above)
    above.cancel("closing")
    assert {signal.reason for signal in below} == {"closing"}
