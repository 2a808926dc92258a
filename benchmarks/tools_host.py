"""The host's side of the tool figures: single calls, a pool, a search, whole agent runs."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import SystemClock
from covel_host.models.messages import ModelReply, ModelRequest
from covel_host.proposals.operations import Operation
from covel_host.runtime.result import RuntimeResult
from covel_host.runtime.runs import new_run
from covel_host.tools.calls import CallScope, ToolCallResult, ToolRequest
from covel_host.tools.tool_search import SearchTools
from covel_host.trace.log import RunTrace, TraceLog
from plugin_sdk import tool
from plugin_sdk.hooks import HookOrder
from plugin_sdk.tools import Tool
from tests.support.replies import PlayedGateway
from tests.support.replies import call as asked
from tests.support.replies import calls as replied
from tests.support.runs import RunBench
from tests.support.tool_calls import ToolBench

TEXT = '{"a": 1, "b": 30}'
WAIT_S = 0.005
CALLS_OF_A_RUN = 8

QUERY = "what lies in the harbour ledger"
SUBJECTS = ("harbour", "ledger", "lantern", "bridge", "orchard", "market", "signal", "weather")

MANIFEST = {
    "description": "A package of a benchmark.",
    "contributes": {"tools": ["add"]},
    "runtime": {
        "schedule": {"trigger": {"type": "manual"}},
        "agent": {"tools": {"plugin": ["add"]}},
    },
}


class _Arguments(BaseModel):
    a: int
    b: int = 2


@tool(name="add", read_only=True, concurrency_safe=True)
async def add(a: int, b: int = 2) -> object:
    """Add two numbers."""
    return {"sum": a + b}


@tool(name="add-in-time", read_only=True, timeout_ms=5_000)
async def add_in_time(a: int, b: int = 2) -> object:
    """Add two numbers within five seconds."""
    return {"sum": a + b}


@tool(name="wait", read_only=True, concurrency_safe=True)
async def wait() -> object:
    """Wait a little."""
    await asyncio.sleep(WAIT_S)
    return None


_validate = _Arguments.__pydantic_validator__.validate_json


async def _add(a: int, b: int) -> object:
    return {"sum": a + b}


async def floor() -> object:
    """What any way of calling a tool has to do."""
    arguments = _validate(TEXT)
    return await _add(arguments.a, arguments.b)


class _Silent:
    """A trace that nobody reads."""

    run_id = "run-1"

    def add(self, type: str, **data: object) -> None:
        return None


class _Open:
    """A call whose context is nothing."""

    __slots__ = ()
    context: Any = None
    writes: Operation | None = None

    async def reads_ended(self) -> None:
        return None

    def close(self) -> None:
        return None


class ExecutorCalls:
    """Single calls through an executor, on behalf of one run."""

    def __init__(self) -> None:
        self._bench = ToolBench(add, add_in_time, builtins={})
        self._scope = self._scope_with(cast(RunTrace, _Silent()))
        self._traced_scope = self._scope
        self._traced = 0

    def call(self) -> Awaitable[ToolCallResult]:
        """One call whose trace is dropped."""
        return self._called("add", self._scope)

    def limited(self) -> Awaitable[ToolCallResult]:
        """One call in a task of its own."""
        return self._called("add-in-time", self._scope)

    def traced(self) -> Awaitable[ToolCallResult]:
        """One call with its two trace events, in a trace as long as that of a turn."""
        if self._traced % CALLS_OF_A_RUN == 0:
            log = TraceLog(turn_id="turn-1", clock=SystemClock())
            self._traced_scope = self._scope_with(log.of_run("run-1"))
        self._traced += 1
        return self._called("add", self._traced_scope)

    def _scope_with(self, trace: RunTrace) -> CallScope:
        return replace(self._bench.scope, open_call=lambda request, signal: _Open(), trace=trace)

    def _called(self, name: str, scope: CallScope) -> Awaitable[ToolCallResult]:
        return self._bench.executor.call(ToolRequest(0, "call-1", name, TEXT), scope)


async def one_wait() -> None:
    """What eight calls of `wait` in a pool are measured against."""
    await asyncio.sleep(WAIT_S)


def eight_waits() -> Callable[[], Awaitable[object]]:
    """Eight calls of `wait` in one pool, as a run makes them of one reply."""
    bench = ToolBench(wait, builtins={})
    scope = replace(bench.scope, open_call=lambda request, signal: _Open())
    requests = [ToolRequest(n, f"call-{n}", "wait", "{}") for n in range(CALLS_OF_A_RUN)]

    async def pool() -> list[ToolCallResult]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(bench.executor.call(one, scope)) for one in requests]
        return [task.result() for task in tasks]

    return pool


class AgentRuns:
    """Whole runs of an agent whose scripted model asks for eight calls and then ends the run.

    With `is_heard` a hook sees every call before it is made, and another one after it.
    """

    def __init__(self, folder: Path, *, is_heard: bool = False) -> None:
        heard = [_Hook(event="pre_tool_use"), _Hook(event="post_tool_use")]
        folder.mkdir()
        self._bench = RunBench(folder, MANIFEST, tools=[add], hooks=heard if is_heard else ())
        self._gateway = self._bench.gateway = _Scripted()
        self._run = self._bench.run(contributed_tools=("add",))

    def close(self) -> None:
        """Close the store."""
        self._bench.close()

    async def play(self) -> RuntimeResult:
        """One run with eight small calls."""
        bench = self._bench
        self._gateway.begin()
        bench.log = TraceLog(turn_id="turn-1", clock=bench.clock)
        run = replace(self._run, signal=CancelSignal(), staging=bench.staging())
        result = await new_run(run, bench.ports).result()
        assert (result.status, len(result.tool_calls)) == ("success", CALLS_OF_A_RUN + 1)
        return result


class _Scripted(PlayedGateway):
    """A model whose replies cost nothing: eight calls, then the end of the run."""

    def __init__(self) -> None:
        super().__init__([])
        self.begin()

    def begin(self) -> None:
        """Answer from the first reply on."""
        self._next = iter(_REPLIES)

    async def complete(self, request: ModelRequest, **options: Any) -> ModelReply:
        return next(self._next)


_REPLIES = (
    replied(*(asked("add", TEXT, call_id=f"call-{n}") for n in range(CALLS_OF_A_RUN))),
    replied(asked("runtime-done", call_id="call-end")),
)


def searches(count: int = 500) -> Callable[[], object]:
    """A search among that many deferred tools, as a run makes it that has found nothing yet."""
    tools = [_searchable(number) for number in range(count)]
    return lambda: SearchTools(tools, plugin_id="demo").found({"query": QUERY, "limit": 5})


async def _heard() -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hook:
    event: str
    plugin_id: str = "demo"
    function: Callable[..., Any] = _heard
    arguments: tuple[str, ...] = ()
    function_name: str = "hook"
    order: HookOrder = "normal"
    match: Callable[[Any], bool] | None = None
    timeout_ms: int | None = None
    position: int = 0


def _searchable(number: int) -> Tool[..., Any]:
    subject = SUBJECTS[number % len(SUBJECTS)]

    async def look(place: str, limit: int = 3) -> object:
        return None

    return tool(
        name=f"{subject}-{number}",
        description=f"Look at the {subject} of place {number}; it tells what lies there and since "
        "when, newest first.",
        read_only=True,
    )(look)
