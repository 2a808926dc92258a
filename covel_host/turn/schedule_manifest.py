"""From the `schedule`, `io` and `effects` groups of a manifest to a declaration.

Spec/manifest.md 5.2, 5.3; spec/execution.md 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from covel_host.turn.schedule_types import Dependency, RuntimeDeclaration, Trigger


def declare_runtime(
    runtime_id: str,
    *,
    plugin_id: str,
    schedule: Mapping[str, Any],
    io: Mapping[str, Any],
    effects: Mapping[str, Any] | None = None,
) -> RuntimeDeclaration:
    """The declaration of one runtime, from manifest groups that passed validation.

    The groups are plain JSON in the manifest's own spelling (spec/manifest.md 5.2, 5.3, 5.6).
    Committed inputs and kernel inputs give no dependency: they neither order nor wait.
    """
    effects = effects or {}
    return RuntimeDeclaration(
        runtime_id=runtime_id,
        plugin_id=plugin_id,
        stage=schedule.get("stage"),
        trigger=_trigger(schedule.get("trigger") or {}),
        dependencies=tuple(_dependencies(schedule, io)),
        contract=(io.get("output") or {}).get("contract"),
        is_story=io.get("visibility") == "story",
        background=bool(schedule.get("background", False)),
        detached=bool(schedule.get("detached", False)),
        reads=tuple(effects.get("reads") or ()),
        writes=tuple(effects.get("writes") or ()),
        parallel_safe=bool(effects.get("parallelSafe", False)),
    )


def _trigger(trigger: Mapping[str, Any]) -> Trigger:
    return Trigger(
        kind=trigger.get("type") or "auto",
        interval=trigger.get("interval") or 1,
        topic=trigger.get("topic"),
        start_turn=trigger.get("startTurn") or 0,
        max_runs=trigger.get("maxTriggerCount"),
        cooldown_turns=trigger.get("cooldownTurns") or 0,
    )


def _dependencies(schedule: Mapping[str, Any], io: Mapping[str, Any]) -> Iterator[Dependency]:
    yield from _references("need", schedule.get("needs") or ())
    yield from _references("after", schedule.get("after") or ())
    for item in (io.get("inputs") or {}).values():
        source = item["from"]
        if item.get("scope") == "committed" or "kernel" in source:
            continue
        yield _dependency("required-input" if item.get("required") else "input", source)


def _references(
    kind: Literal["need", "after"], references: Sequence[str | Mapping[str, Any]]
) -> Iterator[Dependency]:
    for reference in references:
        if isinstance(reference, str):
            yield Dependency(kind, runtime_id=reference)
        else:
            yield _dependency(kind, reference)


def _dependency(
    kind: Literal["need", "after", "input", "required-input"], reference: Mapping[str, Any]
) -> Dependency:
    return Dependency(
        kind,
        runtime_id=reference.get("runtime"),
        contract=reference.get("contract"),
        cardinality=reference.get("cardinality") or "one",
        scope=reference.get("scope") or "turn",
    )
