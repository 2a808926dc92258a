import asyncio
import contextvars
import sys
import threading

import pytest

from covel_host.base.daemon_threads import ThreadExitError, run_in_daemon_thread

COLOUR = contextvars.ContextVar("colour", default="none")


def test_work_runs_in_a_daemon_thread_with_the_callers_context() -> None:
    def work() -> tuple[bool, bool, str]:
        here = threading.current_thread()
        return here.daemon, here is threading.main_thread(), COLOUR.get()

    async def main() -> tuple[bool, bool, str]:
        COLOUR.set("green")
        return await run_in_daemon_thread(work, name="work")

    assert asyncio.run(main()) == (True, False, "green")


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()])
def test_an_error_reaches_the_caller_as_it_was(error: BaseException) -> None:
    def work() -> None:
        raise error

    async def main() -> BaseException:
        try:
            await run_in_daemon_thread(work, name="work")
        except BaseException as raised:
            return raised
        raise AssertionError("nothing was raised")

    assert asyncio.run(main()) is error


def test_an_exit_request_does_not_end_the_host() -> None:
    with pytest.raises(ThreadExitError, match="3") as caught:
        asyncio.run(run_in_daemon_thread(lambda: sys.exit(3), name="work"))
    assert caught.value.code == 3


def test_a_late_outcome_is_dropped_even_after_the_loop_has_closed() -> None:
    release = threading.Event()
    ended = threading.Event()

    def work() -> None:
        release.wait(10)
        ended.set()

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(run_in_daemon_thread(work, name="slow"), 0.01)

    asyncio.run(main())
    release.set()
    assert ended.wait(10)
