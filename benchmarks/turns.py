"""What a whole turn costs: five runtimes and twelve tool calls, commit included."""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

import yaml
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from benchmarks.rounds import table, verdict
from covel_host.host import Host
from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.messages import ModelCall, ModelReply, ModelRequest, ToolMessage, Usage
from covel_host.models.selector import UseOffline
from covel_host.models.slots import SlotTable
from covel_host.settings import read_settings
from covel_host.turn.turns import TurnRequest

Case: TypeAlias = Callable[[], Awaitable[object]]

ROUNDS, TURNS = 15, 4
GOAL_RATIO = 1.0
CALLS = 3
CALLERS = ("pre-turn", "post-turn", "post-turn", "audit")
TEXT = '{"a": 1, "b": 30}'
PROSE = "Rain fell on the harbour, and nobody came."
SETTING = (
    "A message is played as a turn: a story and four agents in four stages, two of them side by "
    "side. Each agent asks for three calls of a trivial tool, and then ends. Prompts with the "
    "whole history, calls, audit, trace and the commit with `synchronous=FULL` are in it. Peer: "
    "five `Agent.run` of pydantic-ai, one after the other, with a `FunctionModel` that gives the "
    "same replies; nothing of them is stored."
)
ENTRY = '''
from plugin_sdk import hookimpl, tool

@tool(name="add", read_only=True, concurrency_safe=True)
async def add(a: int, b: int = 2) -> object:
    """Add two numbers."""
    return {"sum": a + b}

@hookimpl
def register_tools():
    return [add]
'''


class _Gateway(ModelGateway):
    """Tells a story, or asks for the calls and then ends."""

    def __init__(self) -> None:
        super().__init__(GatewayOptions(), SlotTable({}, ""), selector=UseOffline())

    async def complete(self, request: ModelRequest, **_: Any) -> ModelReply:
        usage = Usage(10, 5)
        if not request.tools:
            return ModelReply(PROSE, (), finish_reason="stop", usage=usage, provider="", model="")
        asked: tuple[ModelCall, ...] = ()
        if not isinstance(request.messages[-1], ToolMessage):
            asked = tuple(ModelCall(f"call-{n}", "add", TEXT) for n in range(CALLS))
        text = "" if asked else "done"
        return ModelReply(text, asked, finish_reason="stop", usage=usage, provider="", model="")


def report() -> str:
    """The section of RESULTS.md."""
    return asyncio.run(_report())


async def _report() -> str:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        _write(home / "plugins" / "tale")
        settings = read_settings({"COVEL_HOME": folder}, trust=["tale"])
        host = await Host.open(settings, load=["tale"], selector=UseOffline())
        host.ports = replace(host.ports, gateway=_Gateway())
        try:
            session_id = await host.open_session(["tale"])
            request = TurnRequest(session_id=session_id, message="I wait.")
            peer = _peer()
            times = await _medians({"turn": lambda: host.play(request), "peer": peer})
            last = await host.play(request)
            assert last.committed
            assert len(last.executions[0].results) == 1 + len(CALLERS)
        finally:
            await host.close()
    ratio = times["turn"] / times["peer"]
    rows: list[list[object]] = [
        [
            "turn, commit included",
            f"{times['turn'] * 1000:.2f}",
            f"{ratio:.2f}",
            GOAL_RATIO,
            verdict(ratio, GOAL_RATIO),
        ],
        ["peer: pydantic-ai, `Agent.run`", f"{times['peer'] * 1000:.2f}", "1.00", "", ""],
    ]
    head = ("case", "ms", "× peer", "goal", "")
    return "\n".join(["## Turns", "", SETTING, "", table(head, rows)])


async def _medians(cases: Mapping[str, Case]) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in cases}
    for round_number in range(ROUNDS + 1):
        for name, case in cases.items():
            start = time.perf_counter()
            for _ in range(TURNS):
                await case()
            if round_number:
                times[name].append((time.perf_counter() - start) / TURNS)
    return {name: median(values) for name, values in times.items()}


def _peer() -> Case:
    async def add(a: int, b: int = 2) -> dict[str, int]:
        """Add two numbers."""
        return {"sum": a + b}

    async def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart("add", TEXT) for _ in range(CALLS)])
        return ModelResponse(parts=[TextPart("done")])

    async def tell(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart(PROSE)])

    callers, story = Agent(FunctionModel(reply), tools=[add]), Agent(FunctionModel(tell))

    async def turn() -> None:
        await story.run("I wait.")
        for _ in CALLERS:
            await callers.run("I wait.")

    return turn


def _write(folder: Path) -> None:
    (folder / "server").mkdir(parents=True)
    manifest = {"description": "A package of a benchmark.", "contributes": {"tools": ["add"]}}
    (folder / "PLUGIN.md").write_text(f"---\n{yaml.safe_dump(manifest)}---\n")
    (folder / "server" / "index.py").write_text(ENTRY)
    runtimes: dict[str, dict[str, Any]] = {
        f"agent-{number}": {
            "schedule": {"stage": stage},
            "agent": {"tools": {"plugin": ["add"]}},
        }
        for number, stage in enumerate(CALLERS)
    }
    runtimes["told"] = {
        "schedule": {"stage": "narrative"},
        "agent": {},
        "io": {"visibility": "story"},
    }
    for name, runtime in runtimes.items():
        place = folder / "runtimes" / name
        place.mkdir(parents=True)
        place.joinpath("RUNTIME.md").write_text(f"---\n{yaml.safe_dump(runtime)}---\nDo it.\n")
