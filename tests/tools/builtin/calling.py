"""Calls of builtin tools through the executor."""

import asyncio
import json
from typing import Any

from covel_host.tools.calls import ToolCallResult
from tests.support.tool_calls import ToolBench


def called(name: str, arguments: Any, bench: ToolBench | None = None) -> ToolCallResult:
    """What came of one call; the executor has nothing left afterwards."""
    used = bench or ToolBench()

    async def main() -> ToolCallResult:
        result = await used.call(name, json.dumps(arguments))
        assert await used.executor.close() == ()
        return result

    return asyncio.run(main())


def answer(result: ToolCallResult) -> Any:
    """What the model reads."""
    return json.loads(result.envelope)


def error(result: ToolCallResult) -> tuple[str, list[str]]:
    """The code of a failure and the paths of its problems."""
    assert result.error is not None, result.envelope
    return result.error.code, [problem.path for problem in result.error.details]
