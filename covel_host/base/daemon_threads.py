"""Plain functions run off the event loop in threads that never keep the process alive."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


async def run_in_daemon_thread(work: Callable[[], Result], *, name: str) -> Result:
    """What `work` returns, run in a daemon thread of its own with the caller's context.

    The wait may be cancelled or timed out; the thread then runs on alone, its outcome is dropped,
    and the process can still end. `work` raising `SystemExit` gives `ThreadExitError`, because
    an exit request from a thread must not end the host.
    """
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[Result] = loop.create_future()
    context = contextvars.copy_context()

    def deliver(result: Result | None, error: BaseException | None) -> None:
        if outcome.done():
            return
        if error is None:
            outcome.set_result(result)  # type: ignore[arg-type]  # None only when work gave None
        else:
            outcome.set_exception(error)

    def run() -> None:
        result: Result | None = None
        error: BaseException | None = None
        try:
            result = context.run(work)
        except SystemExit as exit_request:
            error = ThreadExitError(exit_request.code)
        except StopIteration as stop:
            # A future cannot carry StopIteration.
            error = RuntimeError(f"StopIteration was raised: {stop}")
        except BaseException as raised:
            error = raised
        try:
            loop.call_soon_threadsafe(deliver, result, error)
        except RuntimeError:
            # The loop has closed: nobody waits any more.
            return

    threading.Thread(target=run, name=name, daemon=True).start()
    return await outcome


class ThreadExitError(RuntimeError):
    """Code in a thread called `sys.exit`; `code` is its argument."""

    def __init__(self, code: object) -> None:
        super().__init__(f"sys.exit({code!r}) was called")
        self.code = code
