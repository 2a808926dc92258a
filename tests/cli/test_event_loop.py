"""The event loop of a command."""

import asyncio

import pytest

from covel_host.cli.event_loop import run_loop


def test_what_main_returns_is_given() -> None:
    async def main() -> int:
        return 7

    assert run_loop(main()) == 7


def test_tasks_that_are_left_are_cancelled_and_end() -> None:
    ended: list[str] = []

    async def left() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("left")

    async def main() -> "asyncio.Task[None]":
        task = asyncio.create_task(left())
        await asyncio.sleep(0)
        return task

    assert run_loop(main()).cancelled()
    assert ended == ["left"]


def test_a_task_that_swallows_its_cancellation_is_left_behind(
    caplog: pytest.LogCaptureFixture,
) -> None:
    released = asyncio.Event()

    async def stubborn() -> None:
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                continue

    async def main() -> "asyncio.Task[None]":
        task = asyncio.create_task(stubborn(), name="stubborn")
        await asyncio.sleep(0)
        return task

    task = run_loop(main(), budget_s=0.01)
    assert "left behind: stubborn" in caplog.text
    loop = task.get_loop()
    released.set()
    loop.run_until_complete(task)
    loop.close()


def test_an_error_of_main_is_raised_after_the_tasks_have_ended() -> None:
    async def main() -> None:
        raise ValueError("no moon")

    with pytest.raises(ValueError, match="no moon"):
        run_loop(main())
