"""How a story runtime ends: with non-empty prose in its final reply (spec/execution.md 5.7).

`runtime-done` is tolerated: without prose beside it the model is asked for the prose with the
steps that are left (seed: ToolExecutor, 授权).
"""

from dataclasses import replace

from covel_host.runtime import completion_texts as texts
from covel_host.runtime.completion_contract import unmet
from covel_host.runtime.completion_prose import sanitize_prose
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.completion_state import (
    CompletionState,
    Continue,
    EndedBy,
    Fail,
    Finish,
    Replied,
)
from covel_host.runtime.completion_steps import (
    Step,
    correct,
    first_success,
    has_steps,
    repetition,
    used_up,
)
from covel_host.runtime.loop_tools import RUNTIME_DONE

_NO_PROSE = Fail("story_without_prose", "The story runtime ended without any prose.")


def settle_story(settings: CompletionSettings, state: CompletionState, reply: Replied) -> Step:
    """The next step of a story run; `state` has taken the reply in already."""
    prose = sanitize_prose(reply.text)
    called_done = first_success(reply.calls, (RUNTIME_DONE,)) is not None
    written = (*state.prose, prose) if prose else state.prose
    if reply.calls and not (called_done and prose):
        return _go_on(settings, state, reply, written, asks_for_prose=called_done)
    if not written:
        text = texts.prose_text(settings.locale)
        return correct(settings, state, "prose", text, forced="auto", failure=_NO_PROSE)
    ended_by: EndedBy = RUNTIME_DONE if reply.calls else "text"
    missing = unmet(settings, state, ended_by)
    if missing is not None:
        failure = Fail("completion_not_met", missing.message)
        return correct(
            settings, state, "tool_use", missing.correction, forced=missing.forced, failure=failure
        )
    if reply.interjection_waiting and has_steps(settings, state):
        return replace(state, prose=written), Continue(settings.tool_choice)
    return state, _finish(ended_by, written)


def _go_on(
    settings: CompletionSettings,
    state: CompletionState,
    reply: Replied,
    written: tuple[str, ...],
    *,
    asks_for_prose: bool,
) -> Step:
    repeated = repetition(settings, state, reply.calls)
    if repeated is not None:
        return state, repeated
    if not reply.ended_by_hook and has_steps(settings, state):
        if asks_for_prose:
            return state, Continue("auto", texts.prose_text(settings.locale))
        return state, Continue(state.forced or settings.tool_choice)
    ended_by: EndedBy = "hook" if reply.ended_by_hook else "steps"
    missing = unmet(settings, state, ended_by)
    if missing is not None:
        return state, Fail("completion_not_met", missing.message)
    if written:
        return state, _finish(ended_by, written)
    return state, _NO_PROSE if reply.ended_by_hook else used_up(settings)


def _finish(ended_by: EndedBy, written: tuple[str, ...]) -> Finish:
    return Finish(ended_by, "text", text="\n\n".join(written))
