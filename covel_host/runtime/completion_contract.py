"""Whether an ending satisfies a runtime's completion contract (spec/execution.md 5.7)."""

from dataclasses import dataclass

from covel_host.models.messages import NamedTool, ToolChoice
from covel_host.runtime import completion_texts as texts
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.completion_state import CompletionState, EndedBy, Fail


@dataclass(frozen=True, slots=True)
class Unmet:
    """What is missing: for people, and as the correction a model gets with its forced choice."""

    message: str
    correction: str
    forced: ToolChoice


def unmet(settings: CompletionSettings, state: CompletionState, ended_by: EndedBy) -> Unmet | None:
    """What the contract still wants when the run ends by `ended_by`; `None` when it is satisfied.

    A story's own end is its prose, so `explicit` asks nothing of it.
    """
    if settings.require == "tool-use" and not _work_is_done(settings, state):
        return _needs_work(settings)
    if settings.require != "explicit" or settings.is_story or ended_by == "after-tools":
        return None
    if ended_by == "runtime-done":
        return _needs_resolution(settings, state) if state.unresolved else None
    return _needs_explicit_end(settings)


def failed_without_output(
    settings: CompletionSettings, state: CompletionState, text: str
) -> Fail | None:
    """The failure of a system run with unresolved failed calls and nothing to show for itself.

    Something to show is business work, or the JSON reply of a runtime with an output schema. The
    closing sentence of a run without one is nobody's output (seed: emit-event, 一次调用的四种结果).
    """
    has_reply = settings.has_output_schema and bool(text.strip())
    has_output = state.did_work or state.completing_call_id is not None or has_reply
    if settings.visibility != "system" or not state.unresolved or has_output:
        return None
    return Fail(
        "tool_failed_without_output",
        f"The run ended without output after failed calls of {_listed(state.unresolved)}, "
        "which no later call of the same tool made good.",
    )


def _work_is_done(settings: CompletionSettings, state: CompletionState) -> bool:
    return state.completing_call_id is not None if settings.after_tools else state.did_work


def _needs_work(settings: CompletionSettings) -> Unmet:
    tools = settings.after_tools
    wanted = f"of {_listed(tools)}" if tools else "of a business tool"
    return Unmet(
        message=f"The run ended without the successful call {wanted} that "
        "'agent.completion.require: tool-use' asks for.",
        correction=texts.needs_tool_text(settings.locale, tools),
        forced=NamedTool(tools[0]) if len(tools) == 1 else "required",
    )


def _needs_resolution(settings: CompletionSettings, state: CompletionState) -> Unmet:
    tools = state.unresolved
    return Unmet(
        message=f"The run called 'runtime-done' while failed calls of {_listed(tools)} "
        "were not made good.",
        correction=texts.unresolved_calls_text(settings.locale, tools),
        forced="required",
    )


def _needs_explicit_end(settings: CompletionSettings) -> Unmet:
    tools = settings.after_tools
    return Unmet(
        message="The run ended without 'runtime-done' or a completing tool, which "
        "'agent.completion.require: explicit' asks for.",
        correction=texts.needs_explicit_end_text(settings.locale, tools),
        forced="required",
    )


def _listed(tools: tuple[str, ...]) -> str:
    return ", ".join(repr(tool) for tool in tools)
