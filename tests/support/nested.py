"""Nested runs on a bench: runtimes of real manifests, played without a host around them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from covel_host.catalog.generation import Generation
from covel_host.manifest.package import read_package
from covel_host.proposals.world_view import WorldView
from covel_host.runtime.nested import NestedRequest
from covel_host.runtime.nested_limits import SubagentLimits
from covel_host.runtime.nested_settings import nested_run
from covel_host.runtime.nested_targets import NestedTargets
from covel_host.runtime.prompt_inputs import ManualActivation
from covel_host.runtime.result import RuntimeResult
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.runs import new_run
from tests.support.runs import RunBench

Handler = Callable[[Any], object]


def write_runtimes(
    root: Path, runtimes: Mapping[str, Mapping[str, Any]], **manifest: Any
) -> Generation:
    """A package of these runtimes, by name; its generation without any code."""
    root.mkdir(parents=True, exist_ok=True)
    head = {"description": "A package of a test.", **manifest}
    (root / "PLUGIN.md").write_text(f"---\n{yaml.safe_dump(head)}---\n", encoding="utf-8")
    for name, described in runtimes.items():
        folder = root / "runtimes" / name
        folder.mkdir(parents=True, exist_ok=True)
        text = f"---\n{yaml.safe_dump({**MANUAL, **described})}---\nYou are {name}.\n"
        (folder / "RUNTIME.md").write_text(text, encoding="utf-8")
    reading = read_package(root)
    assert not reading.blocks_loading, reading.diagnostics
    return Generation(plugin_id=root.name, number=1, content_hash="", reading=reading)


MANUAL = {"schedule": {"trigger": {"type": "manual"}}}


class BenchNested:
    """Plays what runs of a bench start; `handlers` are by runtime ID, `results` in order."""

    def __init__(
        self,
        bench: RunBench,
        *generations: Generation,
        handlers: Mapping[str, Handler] | None = None,
        **facts: Any,
    ) -> None:
        self._bench = bench
        self._handlers = handlers or {}
        self._facts = facts
        self.targets = NestedTargets(generations)
        self.limits = SubagentLimits()
        self.results: list[RuntimeResult] = []
        self.runs: list[RuntimeRun] = []

    async def run(self, request: NestedRequest) -> RuntimeResult:
        run_id = f"run-{len(self.runs) + 2}"
        run, ports = self.made(request.target.runtime_id, run_id, request)
        self.runs.append(run)
        result = await new_run(run, ports).result()
        self.results.append(result)
        return result

    def made(
        self, runtime_id: str, run_id: str, request: NestedRequest
    ) -> tuple[RuntimeRun, RunPorts]:
        target = request.target
        run = replace(
            self._bench.run(),
            plugin_id=target.plugin_id,
            reading=target.reading,
            manifest=target.manifest,
            activation=ManualActivation(None),
            handler=self._handlers.get(runtime_id),
            **self._facts,
        )
        ports = replace(self.ports, trace=self._bench.log.of_run(run_id))
        return nested_run(run, ports, request)

    @property
    def ports(self) -> RunPorts:
        """The ports of the bench, with this behind them."""
        return replace(self._bench.ports, nested=self)


def world_of(bench: RunBench, world: WorldView) -> dict[str, Any]:
    """The facts of a run in that world."""
    return {"staging": bench.staging(world=world)}
