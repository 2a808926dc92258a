import asyncio

import pytest

from covel_host.base.tasks import TaskTracker


def test_a_task_that_swallows_cancellation_is_named_after_the_budget() -> None:
    async def main() -> tuple[str, ...]:
        tracker = TaskTracker()
        release = asyncio.Event()
        started = asyncio.Event()

        async def stubborn() -> None:
            started.set()
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue

        task = tracker.start(stubborn(), name="stubborn tool")
        await started.wait()
        left = await tracker.close(budget_s=0.01)
        release.set()
        await task
        return left + tracker.pending

    assert asyncio.run(main()) == ("stubborn tool",)


def test_a_late_error_is_retrieved() -> None:
    async def main() -> tuple[str, ...]:
        tracker = TaskTracker()

        async def fails() -> None:
            raise ValueError("too late for anyone")

        tracker.start(fails(), name="late")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return tracker.pending

    assert asyncio.run(main()) == ()


def test_work_to_be_finished_ends_before_its_cancelled_caller_leaves() -> None:
    async def main() -> list[str]:
        tracker, started, release = TaskTracker(), asyncio.Event(), asyncio.Event()
        order: list[str] = []

        async def commit() -> None:
            started.set()
            await release.wait()
            order.append("committed")

        async def caller() -> None:
            try:
                await tracker.finish(commit(), name="commit")
            finally:
                order.append("left")

        task = asyncio.ensure_future(caller())
        await started.wait()
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0)
        release.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        return order

    assert asyncio.run(main()) == ["committed", "left"]


def test_finished_work_gives_its_value_or_its_error() -> None:
    async def main() -> int:
        tracker = TaskTracker()

        async def fails() -> None:
            raise ValueError("no")

        async def works() -> int:
            return 5

        with pytest.raises(ValueError, match="no"):
            await tracker.finish(fails(), name="fails")
        return await tracker.finish(works(), name="works")

    assert asyncio.run(main()) == 5


def test_what_cannot_be_stopped_is_waited_for_and_never_cancelled() -> None:
    async def main() -> tuple[tuple[str, ...], str]:
        tracker, release = TaskTracker(), asyncio.Event()

        async def thread() -> str:
            await release.wait()
            return "ended"

        task = tracker.start(thread(), name="thread", stoppable=False)
        left = await tracker.close(budget_s=0)
        release.set()
        assert await tracker.close() == ()
        return left, task.result()

    assert asyncio.run(main()) == (("thread",), "ended")


def test_the_end_is_told_also_of_a_task_that_never_began() -> None:
    async def main() -> list[str]:
        tracker, told = TaskTracker(), []

        async def work() -> None:
            return None

        tracker.start(work(), name="first", on_end=lambda: told.append("first"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        tracker.start(work(), name="second", on_end=lambda: told.append("second")).cancel()
        await tracker.close()
        return told

    assert asyncio.run(main()) == ["first", "second"]
