"""How an agent run ends, as a state machine (spec/execution.md 5.5, 5.7).

The loop feeds one event after each reply's calls were run and obeys the decision:

    state = CompletionState()
    state, decision = advance(settings, state, Replied(text, calls))

There is one place for every ending, be it text, `runtime-done`, a listed tool, a hook, used-up
steps, or a resumed run (its state is restored as it was). A reply costs one step and a correction
gives its step back, so a run asks for at most `max_steps` replies plus one per correction.
"""

from collections.abc import Sequence
from dataclasses import replace

from covel_host.models.messages import NamedTool
from covel_host.runtime import completion_texts as texts
from covel_host.runtime.completion_calls import CallOutcome
from covel_host.runtime.completion_contract import failed_without_output, unmet
from covel_host.runtime.completion_loops import next_streaks
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.completion_state import (
    CompletionEvent,
    CompletionState,
    Continue,
    DraftRejected,
    EndedBy,
    Fail,
    Finish,
    OutputRejected,
    Replied,
    Suspend,
)
from covel_host.runtime.completion_steps import (
    Step,
    correct,
    first_success,
    has_steps,
    repetition,
    used_up,
)
from covel_host.runtime.completion_story import settle_story
from covel_host.runtime.loop_tools import RUNTIME_DONE, SUSPEND


def advance(settings: CompletionSettings, state: CompletionState, event: CompletionEvent) -> Step:
    """The next state and what the loop does now.

    `OutputRejected` may follow a `Finish` only; the other events come at the start, after
    `Continue` and `Correct`, and after a resume.
    """
    if isinstance(event, OutputRejected):
        return _output_rejected(settings, state, event)
    if isinstance(event, DraftRejected):
        return _draft_rejected(settings, state, event)
    state = _absorb(settings, state, event)
    ender = first_success(event.calls, _enders(settings))
    if ender is not None and ender.tool == SUSPEND:
        return state, Suspend(ender.call_id)
    settle = settle_story if settings.is_story else _settle
    return settle(settings, state, event)


def batch_ends(
    settings: CompletionSettings, state: CompletionState, calls: Sequence[CallOutcome]
) -> bool:
    """Whether the calls after the last of `calls` must not be run any more.

    `state` is the state before this reply, `calls` what was run of it so far, at least one. The
    rest of the batch then gets results without being run (seed: 同一批调用的执行).
    """
    last = calls[-1]
    if not last.is_success:
        return False
    if last.tool in _enders(settings):
        return True
    if last.tool != RUNTIME_DONE or settings.is_story:
        return False
    absorbed = _absorb(settings, state, Replied(calls=tuple(calls)))
    return unmet(settings, absorbed, RUNTIME_DONE) is None


def _enders(settings: CompletionSettings) -> tuple[str, ...]:
    """The tools whose success ends a run by itself, whatever else is missing."""
    return (SUSPEND,) if settings.is_story else (SUSPEND, *settings.after_tools)


def _absorb(
    settings: CompletionSettings, state: CompletionState, reply: Replied
) -> CompletionState:
    unresolved = dict.fromkeys(state.unresolved)
    for call in reply.calls:
        if call.failure is None:
            unresolved.pop(call.tool, None)
        elif call.failure.counts_in_agent:
            unresolved[call.tool] = None
    completing = first_success(reply.calls, settings.after_tools)
    return replace(
        state,
        replies=state.replies + 1,
        unresolved=tuple(unresolved),
        did_work=state.did_work or any(call.is_business_work for call in reply.calls),
        completing_call_id=completing.call_id if completing else state.completing_call_id,
        completing_tool=completing.tool if completing else state.completing_tool,
        # A forced choice has done its work once the model called a tool (spec/manifest.md 12.6).
        forced=None if reply.calls else state.forced,
        streaks=next_streaks(state.streaks, reply.calls),
    )


def _settle(settings: CompletionSettings, state: CompletionState, reply: Replied) -> Step:
    ended_by = _ending(settings, reply)
    if ended_by is None:
        return _go_on(settings, state, reply)
    lost = failed_without_output(settings, state, reply.text)
    missing = unmet(settings, state, ended_by)
    if missing is None:
        return state, lost or _finish(settings, state, ended_by, reply.text)
    failure = lost or Fail("completion_not_met", missing.message)
    if ended_by == "hook":
        return state, failure
    return correct(
        settings, state, "tool_use", missing.correction, forced=missing.forced, failure=failure
    )


def _ending(settings: CompletionSettings, reply: Replied) -> EndedBy | None:
    if first_success(reply.calls, settings.after_tools) is not None:
        return "after-tools"
    if first_success(reply.calls, (RUNTIME_DONE,)) is not None:
        return RUNTIME_DONE
    if reply.ended_by_hook:
        return "hook"
    return None if reply.calls else "text"


def _go_on(settings: CompletionSettings, state: CompletionState, reply: Replied) -> Step:
    repeated = repetition(settings, state, reply.calls)
    if repeated is not None:
        return state, repeated
    if has_steps(settings, state):
        return state, Continue(state.forced or settings.tool_choice)
    lost = failed_without_output(settings, state, reply.text)
    # Used-up steps end a run whose contract asks for work only, and that was done.
    if settings.require == "tool-use" and unmet(settings, state, "steps") is None:
        return state, lost or _finish(settings, state, "steps", reply.text)
    return state, lost or used_up(settings)


def _finish(
    settings: CompletionSettings, state: CompletionState, ended_by: EndedBy, text: str
) -> Finish:
    if state.completing_call_id is not None:
        return Finish(ended_by, "tool", call_id=state.completing_call_id)
    if ended_by == "text" or settings.has_output_schema:
        return Finish(ended_by, "text", text=text.strip())
    return Finish(ended_by, "none")


def _output_rejected(
    settings: CompletionSettings, state: CompletionState, event: OutputRejected
) -> Step:
    tool = state.completing_tool
    # The rejected content completes nothing: the listed tool has to succeed once more.
    reset = replace(state, completing_call_id=None, completing_tool=None)
    return correct(
        settings,
        reset,
        "output_schema",
        texts.output_schema_text(settings.locale, event.problem, tool),
        # Text is the repair where no tool is: a forced tool choice would forbid it.
        forced=NamedTool(tool) if tool is not None else "auto",
        failure=Fail(
            "output-schema-invalid",
            f"The output does not fit the runtime's output schema: {event.problem}",
        ),
    )


def _draft_rejected(
    settings: CompletionSettings, state: CompletionState, event: DraftRejected
) -> Step:
    return correct(
        settings,
        replace(state, replies=state.replies + 1),
        "draft_review",
        event.correction,
        forced=state.forced,
        failure=Fail(
            "draft_rejected",
            "A 'post_llm_response' hook rejected the reply once more than "
            f"'agent.loop.corrections.draftReview' ({settings.corrections.draft_review}) allows.",
        ),
    )
