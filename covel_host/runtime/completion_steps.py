"""What every way of ending shares: corrections, steps, and the failures that end a run early.

Limits are those of `agent.loop` (spec/execution.md 5.1, 5.7; spec/decisions.md 2).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from covel_host.models.messages import ToolChoice
from covel_host.runtime.completion_calls import CallOutcome
from covel_host.runtime.completion_loops import repeated_tool
from covel_host.runtime.completion_settings import CompletionSettings, CorrectionKind
from covel_host.runtime.completion_state import CompletionState, Correct, Decision, Fail

Step: TypeAlias = tuple[CompletionState, Decision]


def first_success(calls: Sequence[CallOutcome], tools: Sequence[str]) -> CallOutcome | None:
    """The first successful call of one of `tools`."""
    return next((call for call in calls if call.is_success and call.tool in tools), None)


def has_steps(settings: CompletionSettings, state: CompletionState) -> bool:
    """Whether another reply may be asked for; each correction gave its step back."""
    return state.replies < settings.max_steps + state.corrections_used.total


def correct(
    settings: CompletionSettings,
    state: CompletionState,
    kind: CorrectionKind,
    text: str,
    *,
    forced: ToolChoice | None,
    failure: Fail,
) -> Step:
    """A correction of `kind` with `text`, or `failure` when none of that kind is left."""
    used: int = getattr(state.corrections_used, kind)
    if used >= getattr(settings.corrections, kind):
        return state, failure
    corrections_used = replace(state.corrections_used, **{kind: used + 1})
    corrected = replace(state, corrections_used=corrections_used, forced=forced)
    return corrected, Correct(kind, text, forced or settings.tool_choice)


def repetition(
    settings: CompletionSettings, state: CompletionState, calls: Sequence[CallOutcome]
) -> Fail | None:
    """The failure of a model that makes one and the same call reply after reply."""
    tool = repeated_tool(state.streaks, calls, limit=settings.loop_detection)
    if tool is None:
        return None
    return Fail(
        "repeated_tool_calls",
        f"The model called {tool!r} with the same arguments in {settings.loop_detection} replies "
        "in a row ('agent.loop.loopDetection').",
    )


def used_up(settings: CompletionSettings) -> Fail:
    """The failure of a run that had no step left before it was ended."""
    return Fail(
        "max_steps",
        f"The run used up its {settings.max_steps} steps ('agent.loop.maxSteps') "
        "before the model ended it.",
    )
