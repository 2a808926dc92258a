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


def test_a_signal_is_cancelled_with_the_one_above_it() -> None:
    above = CancelSignal()
    below = CancelSignal(CancelSignal(above))
    above.cancel("deadline")
    below.cancel("closing")
    assert (below.cancelled, below.reason) == (True, "deadline")
    assert CancelSignal(above).reason == "deadline"


def test_its_own_reason_stays_when_the_one_above_is_cancelled_later() -> None:
    above = CancelSignal()
    below = CancelSignal(above)
    below.cancel("timeout")
    assert not above.cancelled
    above.cancel("deadline")
    assert below.reason == "timeout"


def test_who_waits_wakes_with_any_signal_above_and_leaves_nothing_there() -> None:
    async def main() -> None:
        above = CancelSignal()
        below = [CancelSignal(CancelSignal(above)) for _ in range(100)]
        waiters = [asyncio.ensure_future(signal.wait()) for signal in below]
        await asyncio.sleep(0)
        waiters[0].cancel()
        below[1].cancel("timeout")
        await asyncio.wait(waiters[:2])
        assert not waiters[2].done()
        above.cancel("closing")
        await asyncio.gather(*waiters[1:])
        assert {signal.reason for signal in below} == {"timeout", "closing"}
        assert not above._waiting

    asyncio.run(main())
