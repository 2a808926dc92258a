"""Which segments of packages a run gets."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from covel_host.runtime.extensions import RunExtensions
from covel_host.runtime.nested import NestedFacts, SubagentTask
from covel_host.runtime.prompt_extensions import prompt_segments
from covel_host.runtime.run_record import RunRecord
from covel_host.runtime.service_access import RunServices
from covel_host.services.directory import Standing
from covel_host.services.extension_directory import (
    ExtensionDirectory,
    OfferedExtension,
    StaticSegment,
)
from plugin_sdk import ContractAudience, PromptQuery, PromptSegment, extension
from tests.runtime.conftest import BenchMaker
from tests.support.runs import RunBench


@extension("prompt.segment@1", id="all")
def everyone(query: PromptQuery) -> list[PromptSegment]:
    audiences: tuple[Any, ...] = (
        "all",
        "story",
        "self",
        ContractAudience(contract="character-actor@1"),
    )
    return [
        PromptSegment(id=str(number), content="x", position="system", audience=audience)
        for number, audience in enumerate(audiences)
    ]


def directory(standing: Standing = "active") -> ExtensionDirectory:
    fixed = StaticSegment("demo", "fixed", "Fixed.", "system", "system")
    return ExtensionDirectory(
        [OfferedExtension("demo", everyone)], standing=lambda name: standing, segments=[fixed]
    )


def segments(bench: RunBench, **changes: object) -> Sequence[str]:
    async def main() -> Sequence[str]:
        run = bench.run(**changes)
        ports = bench.ports
        record = RunRecord(run, ports)
        services = RunServices(run, ports, record, slot=None, on_queued=lambda seconds: None)
        found = await prompt_segments(run, RunExtensions(run, ports, record, services))
        return [one.segment_id for one in found]

    return asyncio.run(main())


def test_whoever_plays_a_character_gets_only_what_names_it(bench: BenchMaker) -> None:
    task = SubagentTask(brief="Speak.", character_id="npc-mara")
    facts = NestedFacts(kind="subagent", depth=1, may_write=False, task=task)
    made = bench()
    assert segments(made, extensions=directory()) == ["fixed", "0", "1", "2", "3"]
    assert segments(made, extensions=directory(), nested=facts) == ["fixed", "2", "3"]


@pytest.mark.parametrize("standing", ["paused", "inactive"])
def test_a_package_that_is_set_aside_adds_nothing(bench: BenchMaker, standing: Standing) -> None:
    assert segments(bench(), extensions=directory(standing)) == []


def test_a_run_that_starts_nothing_with_extensions_asks_nobody(bench: BenchMaker) -> None:
    assert segments(bench()) == []
