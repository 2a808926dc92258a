"""A run's time: what counts, what does not, and what becomes of a run that does not stop."""

import asyncio

import pytest

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import SystemClock
from covel_host.base.tasks import TaskTracker
from covel_host.runtime.deadline import RunDeadline, RunTimedOut, run_within
from plugin_sdk.testing import ManualClock


def test_what_a_streamed_reply_spends_writing_does_not_count() -> None:
    clock = ManualClock()
    deadline = RunDeadline(10, clock)
    with deadline.model_call():
        clock.advance(4)
        assert deadline.remaining_s == 6
        deadline.wrote()
        clock.advance(100)
        deadline.wrote()
        assert deadline.remaining_s is None
        clock.advance(100)
    assert deadline.remaining_s == 6
    clock.advance(7)
    assert deadline.remaining_s == 0


def test_waiting_for_the_turn_of_a_call_does_not_count() -> None:
    clock = ManualClock()
    deadline = RunDeadline(10, clock)
    clock.advance(8)
    deadline.extend(5)
    assert deadline.remaining_s == 7


def test_a_run_does_not_run_out_of_time_while_its_call_waits_for_a_turn() -> None:
    clock = ManualClock()
    deadline = RunDeadline(10, clock)
    with deadline.model_call():
        clock.advance(4)
        deadline.waiting(True)
        clock.advance(100)
        assert deadline.remaining_s is None
        deadline.waiting(False)
        assert deadline.remaining_s == 6
        clock.advance(1)
        deadline.wrote()
        clock.advance(50)
    assert deadline.remaining_s == 5


def test_a_model_call_that_fails_while_writing_is_left_out_too() -> None:
    clock = ManualClock()
    deadline = RunDeadline(10, clock)

    def breaks() -> None:
        with deadline.model_call():
            deadline.wrote()
            clock.advance(100)
            raise ValueError

    with pytest.raises(ValueError):
        breaks()
    assert deadline.remaining_s == 10


def test_a_run_in_time_gives_its_value() -> None:
    async def main() -> int:
        async def work() -> int:
            return 5

        deadline = RunDeadline(60, SystemClock())
        return await run_within(
            deadline, work(), name="run", signal=CancelSignal(), tasks=TaskTracker()
        )

    assert asyncio.run(main()) == 5


def test_a_run_past_its_time_is_cancelled_with_its_signal() -> None:
    async def main() -> tuple[bool, str | None, tuple[str, ...]]:
        signal, tasks = CancelSignal(), TaskTracker()
        deadline = RunDeadline(0, SystemClock())
        with pytest.raises(RunTimedOut) as caught:
            await run_within(
                deadline, asyncio.Event().wait(), name="run", signal=signal, tasks=tasks
            )
        return caught.value.was_left, signal.reason, tasks.pending

    assert asyncio.run(main()) == (False, "deadline", ())


def test_a_run_that_swallows_cancellation_is_left_to_the_tracker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("covel_host.runtime.deadline.GRACE_S", 0.01)

    async def main() -> tuple[bool, tuple[str, ...]]:
        tasks, release = TaskTracker(), asyncio.Event()

        async def stubborn() -> None:
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue

        deadline = RunDeadline(0.01, SystemClock())
        with pytest.raises(RunTimedOut) as caught:
            await run_within(
                deadline, stubborn(), name="stubborn", signal=CancelSignal(), tasks=tasks
            )
        pending = tasks.pending
        release.set()
        await tasks.close()
        return caught.value.was_left, pending

    assert asyncio.run(main()) == (True, ("stubborn",))


def test_the_time_goes_on_when_the_writing_ends() -> None:
    async def main() -> bool:
        clock = ManualClock()
        deadline = RunDeadline(1, clock)
        wrote = asyncio.Event()

        async def work() -> None:
            with deadline.model_call():
                deadline.wrote()
                clock.advance(100)
                wrote.set()
            clock.advance(2)
            await asyncio.Event().wait()

        task = asyncio.ensure_future(
            run_within(deadline, work(), name="run", signal=CancelSignal(), tasks=TaskTracker())
        )
        await wrote.wait()
        with pytest.raises(RunTimedOut):
            await asyncio.wait_for(task, 20)
        return True

    assert asyncio.run(main())


def test_a_cancelled_caller_takes_the_run_with_it() -> None:
    async def main() -> tuple[str | None, tuple[str, ...]]:
        signal, tasks, started = CancelSignal(), TaskTracker(), asyncio.Event()

        async def work() -> None:
            started.set()
            await asyncio.Event().wait()

        deadline = RunDeadline(60, SystemClock())
        task = asyncio.ensure_future(
            run_within(deadline, work(), name="run", signal=signal, tasks=tasks)
        )
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return signal.reason, tasks.pending

    assert asyncio.run(main()) == ("aborted", ())
