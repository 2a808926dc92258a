"""Author's code that is late, raises what ends a process, or cancels itself."""

import asyncio
import signal
import threading
from collections.abc import Callable
from typing import Any

import pytest

from covel_host.base.author_calls import (
    AuthorCall,
    AuthorLate,
    AuthorRaised,
    is_authors_own,
    told_apart,
)
from covel_host.base.tasks import TaskTracker


async def returned(begin: Callable[[], Any], *, is_async: bool, limit_s: float | None) -> Any:
    tasks = TaskTracker()
    call = AuthorCall(begin, name="work", is_async=is_async, tasks=tasks)
    try:
        return await call.returned(limit_s=limit_s)
    finally:
        assert await tasks.close() == ()


@pytest.mark.parametrize("limit_s", [None, 5.0])
@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        SystemExit(3),
        KeyboardInterrupt(),
        asyncio.CancelledError(),
        KeyError("k"),
    ],
)
@pytest.mark.parametrize("is_async", [True, False])
def test_what_it_raises_is_told_apart(
    error: BaseException, is_async: bool, limit_s: float | None
) -> None:
    async def raises() -> None:
        raise error

    def plainly() -> None:
        raise error

    begin: Callable[[], Any] = raises if is_async else plainly
    with pytest.raises(AuthorRaised) as caught:
        asyncio.run(returned(begin, is_async=is_async, limit_s=limit_s))
    if not (isinstance(error, SystemExit) and not is_async):
        assert caught.value.error is error


@pytest.mark.parametrize("limit_s", [None, 5.0])
def test_what_it_returns_is_given(limit_s: float | None) -> None:
    async def gives() -> int:
        return 3

    assert asyncio.run(returned(gives, is_async=True, limit_s=limit_s)) == 3
    assert asyncio.run(returned(lambda: 3, is_async=False, limit_s=limit_s)) == 3


def test_a_late_thread_is_left_and_known_until_it_ends() -> None:
    async def main() -> None:
        gate, tasks = threading.Event(), TaskTracker()
        call = AuthorCall(gate.wait, name="work", is_async=False, tasks=tasks)
        with pytest.raises(AuthorLate):
            await call.returned(limit_s=0.001)
        assert (call.is_left, tasks.pending) == (True, ("work",))
        gate.set()
        assert await tasks.close() == ()
        assert not call.is_left

    asyncio.run(main())


def test_a_cancelled_caller_cancels_what_is_async_and_leaves_a_thread() -> None:
    async def main() -> None:
        gate, tasks = threading.Event(), TaskTracker()
        endless = AuthorCall(asyncio.Event().wait, name="async", is_async=True, tasks=tasks)
        blocked = AuthorCall(gate.wait, name="plain", is_async=False, tasks=tasks)
        waits = [
            asyncio.ensure_future(endless.returned(limit_s=60)),
            asyncio.ensure_future(blocked.returned()),
        ]
        await asyncio.sleep(0)
        for wait in waits:
            wait.cancel()
        assert all(
            isinstance(end, asyncio.CancelledError)
            for end in await asyncio.gather(*waits, return_exceptions=True)
        )
        assert (endless.is_left, blocked.is_left) == (False, True)
        gate.set()
        assert await tasks.close() == ()

    asyncio.run(main())


def test_a_call_that_is_cancelled_before_it_began_is_never_made() -> None:
    async def main() -> None:
        called: list[str] = []
        call = AuthorCall(
            lambda: called.append("x"), name="work", is_async=False, tasks=TaskTracker()
        )
        wait = asyncio.ensure_future(call.returned())
        wait.cancel()
        with pytest.raises(asyncio.CancelledError):
            await wait
        assert called == []

    asyncio.run(main())


async def presses_twice() -> None:
    # The first Ctrl-C cancels, the second one interrupts whatever is running.
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGINT)


def test_a_persons_ctrl_c_is_no_error_of_the_author() -> None:
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(told_apart(presses_twice))


def test_one_ctrl_c_cancels_the_call_and_ends_the_loop() -> None:
    ended: list[str] = []

    async def waits() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(told_apart(waits))
    assert ended == ["cancelled"]


def test_where_a_ctrl_c_leaves_no_trace_an_interrupt_is_taken_for_one() -> None:
    async def interrupted() -> None:
        raise KeyboardInterrupt

    # A loop that somebody drives by hand leaves the interpreter's own handler in place.
    loop = asyncio.new_event_loop()
    try:
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(told_apart(interrupted))
        with pytest.raises(AuthorRaised):
            loop.run_until_complete(told_apart(interrupted, is_thread=True))
    finally:
        loop.close()


def test_a_loop_in_a_thread_gets_no_ctrl_c() -> None:
    async def interrupted() -> None:
        raise KeyboardInterrupt

    caught: list[BaseException] = []

    def drive() -> None:
        try:
            asyncio.run(told_apart(interrupted))
        except BaseException as error:
            caught.append(error)

    thread = threading.Thread(target=drive)
    thread.start()
    thread.join()
    assert [type(error) for error in caught] == [AuthorRaised]


def test_a_cancellation_that_a_thread_raises_is_its_own() -> None:
    assert is_authors_own(asyncio.CancelledError())
