"""Calling what a package wrote, whether it is asynchronous or not."""

import asyncio
import inspect
from typing import Any


def resolved(result: Any) -> Any:
    """What a call of a tool, action, handler or guard gives; a coroutine is run to its end."""
    if not inspect.isawaitable(result):
        return result

    async def wait() -> Any:
        return await result

    return asyncio.run(wait())
