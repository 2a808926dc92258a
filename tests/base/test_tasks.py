import asyncio

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
