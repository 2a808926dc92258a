"""The event loop of a command, which ends even where a package's tasks do not."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

Result = TypeVar("Result")

END_BUDGET_S: Final = 5.0
"""How long cancelled tasks that are left have to end."""

_LOG = logging.getLogger(__name__)


def run_loop(main: Coroutine[Any, Any, Result], *, budget_s: float = END_BUDGET_S) -> Result:
    """What `main` returns; like `asyncio.run`, with an end to the waiting.

    Tasks that are left are cancelled. One that swallows it is left behind after `budget_s`, with
    the loop: the process can still end.

    Raises:
        KeyboardInterrupt: a person pressed Ctrl-C; `main` was cancelled and has ended.
    """
    runner = asyncio.Runner()
    try:
        return runner.run(main)
    finally:
        if _end_tasks(runner.get_loop(), budget_s):
            runner.close()


def _end_tasks(loop: asyncio.AbstractEventLoop, budget_s: float) -> bool:
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if not left:
        return True
    _, pending = loop.run_until_complete(asyncio.wait(left, timeout=budget_s))
    if pending:
        names = ", ".join(sorted(task.get_name() for task in pending))
        _LOG.warning("Tasks that do not end are left behind: %s.", names)
    return not pending
