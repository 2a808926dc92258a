"""Runs a runtime on its own: a real store, executor and manifest, no host around them."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import SystemClock
from covel_host.base.random_streams import RandomSource
from covel_host.base.tasks import TaskTracker
from covel_host.hooks.dispatcher import HookDispatcher
from covel_host.hooks.hook import Hook
from covel_host.manifest.package import read_package
from covel_host.media.files import MediaFiles
from covel_host.proposals.staging import Staging
from covel_host.proposals.stored_data import StoredPluginData
from covel_host.proposals.world_view import WorldView
from covel_host.runtime.prompt_inputs import ManualActivation
from covel_host.runtime.result import RuntimeResult
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.runs import Run, new_run
from covel_host.runtime.session_media import SessionMedia
from covel_host.runtime.session_reads import SessionReads
from covel_host.schemas.compiled import compile_schema
from covel_host.store.options import StoreOptions
from covel_host.store.records import SessionRecord
from covel_host.store.sessions import insert_session
from covel_host.store.store import Store
from covel_host.tools.builtin.installed import BUILTIN_TOOLS
from covel_host.tools.executor import ToolExecutor
from covel_host.tools.registry import CallableTool, ToolRegistry
from covel_host.trace.log import TraceLog
from plugin_sdk.tools import Tool
from tests.support.replies import PlayedGateway, Reply
from tests.support.tool_calls import PackageTools

AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class RunBench:
    """What the runs of one test share; the package is `demo`, its session `s1`."""

    folder: Path
    manifest: Mapping[str, Any]
    tools: Sequence[Tool[Any, Any]] = ()
    replies: Sequence[Reply] = ()
    hooks: Sequence[Hook] = ()
    builtins: Mapping[str, CallableTool] = field(default_factory=lambda: BUILTIN_TOOLS)
    shown: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.clock = SystemClock()
        self.store = Store.open(StoreOptions(path=self.folder / "covel.db"))
        self.session = SessionRecord(
            session_id="s1",
            incarnation="i1",
            created_at=AT,
            updated_at=AT,
            locale="en",
            active_packages=("demo",),
        )
        self.store.transaction_now(lambda transaction: insert_session(transaction, self.session))
        self.tasks = TaskTracker()
        self.executor = ToolExecutor(clock=self.clock)
        self.gateway = PlayedGateway(self.replies)
        self.log = TraceLog(turn_id="turn-1", clock=self.clock)
        self.signal = CancelSignal()

    def close(self) -> None:
        self.store.close()

    @property
    def ports(self) -> RunPorts:
        own = {tool.name: tool for tool in self.tools}

        async def show(text: str, reset: bool) -> None:
            self.shown.append(text)

        return RunPorts(
            gateway=self.gateway,
            executor=self.executor,
            registry=ToolRegistry(PackageTools({"demo": own}), builtins=self.builtins),
            clock=self.clock,
            randoms=RandomSource(7),
            tasks=self.tasks,
            trace=self.log.of_run("run-1"),
            on_text=show,
            hooks=self.dispatcher,
            media=SessionMedia(MediaFiles(self.folder / "media"), self.store, clock=self.clock),
        )

    @property
    def dispatcher(self) -> HookDispatcher:
        return HookDispatcher(
            self.hooks,
            active_plugin_ids=("demo",),
            session_id="s1",
            turn_id="turn-1",
            locale="en",
            tasks=self.tasks,
            clock=self.clock,
        )

    def run(self, *, schema: Any = None, **changes: Any) -> RuntimeRun:
        """The facts of a run; `schema` is its output schema."""
        root = self.folder / "demo"
        root.mkdir(exist_ok=True)
        text = f"---\n{yaml.safe_dump(dict(self.manifest))}---\nDo it.\n"
        (root / "PLUGIN.md").write_text(text, encoding="utf-8")
        reading = read_package(root)
        [runtime] = reading.runtimes
        assert runtime.manifest is not None
        made = RuntimeRun(
            plugin_id="demo",
            reading=runtime,
            manifest=runtime.manifest,
            session_id="s1",
            turn_id="turn-1",
            locale="en",
            instruction_locale="en",
            logical_turn=1,
            turn_number=0,
            activation=ManualActivation(None),
            signal=self.signal,
            staging=self.staging(),
            session=SessionReads(self.store, self.session),
            output_schema=None if schema is None else compile_schema(schema),
        )
        return replace(made, **changes)

    def staging(self, **more: Any) -> Staging:
        return Staging(
            StoredPluginData(self.store, session_id="s1", plugin_id="demo"),
            plugin_id="demo",
            runtime_id="demo",
            run_id="run-1",
            new_id=iter(f"proposal-{number}" for number in range(1_000)).__next__,
            **{"world": WorldView(), **more},
        )

    def made(self, **changes: Any) -> Run:
        return new_run(self.run(**changes), self.ports)

    def play(self, **changes: Any) -> RuntimeResult:
        """One run, played to its end; nothing of it goes on afterwards."""

        async def main() -> RuntimeResult:
            try:
                return await self.made(**changes).result()
            finally:
                assert await self.executor.close() == ()
                assert await self.tasks.close() == ()

        return asyncio.run(main())

    @property
    def trace_types(self) -> list[str]:
        return [event.type for event in self.log.events]


FUNCTION = {
    "description": "A package of a test.",
    "contributes": {"data": {"notes": {}}},
    "runtime": {
        "type": "function",
        "schedule": {"trigger": {"type": "manual"}},
        "function": {"handler": "./server/handler.py"},
    },
}


def function_manifest(*, io: Any = None, function: Any = None) -> dict[str, Any]:
    """A manifest of a manual function runtime with further members."""
    runtime: dict[str, Any] = {**FUNCTION["runtime"]}  # type: ignore[dict-item]
    runtime["function"] = {**runtime["function"], **(function or {})}
    if io is not None:
        runtime["io"] = io
    return {**FUNCTION, "runtime": runtime}
