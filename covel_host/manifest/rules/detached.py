"""Runs that nobody waits for (spec/manifest.md 6.2, rules 9 to 13 and 20)."""

from collections.abc import Iterator
from typing import Final

from covel_host.manifest.detached_effects import why_not_detached
from covel_host.manifest.rules.facts import RuntimeFacts
from covel_host.manifest.rules.rule import Problem, field, rule
from covel_host.manifest.rules.stages import STAGED

_LATE_STAGES: Final = ("post-turn", "audit")


@rule("6.2.9", "detached-stage", "Detached runtimes belong to `post-turn` or `audit`.")
def detached_stage(runtime: RuntimeFacts) -> Iterator[Problem]:
    stage = runtime.schedule.stage
    if _is_detached(runtime) and stage is not None and stage not in _LATE_STAGES:
        path = runtime.at("schedule", "stage")
        yield Problem(
            path,
            f"{field(path)} is {stage!r}; the turn does not wait for a detached runtime, so "
            "expected 'post-turn' or 'audit'.",
            "Move it to one of the two, or remove 'detached'.",
        )


@rule("6.2.10", "detached-story", "A story runtime is not detached.")
def detached_story(runtime: RuntimeFacts) -> Iterator[Problem]:
    if _is_detached(runtime) and runtime.io.visibility == "story":
        path = runtime.at("io", "visibility")
        yield Problem(
            path,
            f"{field(path)} is 'story', and the runtime is detached; the player waits for a story.",
            "Remove 'detached', or use another visibility.",
        )


@rule("6.2.11", "detached-called", "`event` and `manual` runtimes are not detached.")
def detached_called(runtime: RuntimeFacts) -> Iterator[Problem]:
    trigger = runtime.schedule.trigger.type
    if _is_detached(runtime) and trigger not in STAGED:
        path = runtime.at("schedule", "trigger", "type")
        yield Problem(
            path,
            f"{field(path)} is {trigger!r}, and the runtime is detached; detached runtimes belong "
            "to a stage.",
            "Write 'background: true' in place of 'detached'.",
        )


@rule("6.2.13", "settle-missing", "`maxSettleWaitMs` comes with `settle`.")
def settle_missing(runtime: RuntimeFacts) -> Iterator[Problem]:
    limits = runtime.schedule.detached_limits
    if limits is not None and limits.max_settle_wait_ms is not None and limits.settle is None:
        path = runtime.at("schedule", "detached", "maxSettleWaitMs")
        yield Problem(
            path,
            f"{field(path)} is {limits.max_settle_wait_ms}, and there is no 'settle' whose wait it "
            "could limit.",
            "Add 'settle: before-next-execution', or remove the limit.",
        )


@rule("6.2.20", "suspend-unattended", "Background and detached runtimes do not list `suspend`.")
def suspend_unattended(runtime: RuntimeFacts) -> Iterator[Problem]:
    mode = "background" if runtime.schedule.background else "detached"
    if mode == "detached" and not _is_detached(runtime):
        return
    for index, name in enumerate(runtime.agent.tools.builtin):
        if name == "suspend":
            path = runtime.at("agent", "tools", "builtin", index)
            yield Problem(
                path,
                f"{field(path)} is 'suspend', and {field(runtime.at('schedule', mode))} is set; "
                "nobody waits there to answer.",
                f"Remove 'suspend', or remove '{mode}'.",
            )


@rule("5.2", "detached-in-foreground", "A detached runtime changes what is its package's alone.")
def detached_in_foreground(runtime: RuntimeFacts) -> Iterator[Problem]:
    why = why_not_detached(runtime.manifest) if _is_detached(runtime) else None
    if why is not None and runtime.schedule.stage in _LATE_STAGES:
        path = runtime.at("schedule", "detached")
        yield Problem(
            path,
            f"{field(path)} is set, and the turn waits for the runtime all the same: {why}.",
            "Change only what is the package's own and list it under 'effects.writes', or remove "
            "'detached'.",
        )


def _is_detached(runtime: RuntimeFacts) -> bool:
    return runtime.schedule.detached is not False


RULES: Final = (
    detached_stage,
    detached_story,
    detached_called,
    settle_missing,
    suspend_unattended,
    detached_in_foreground,
)
