"""One request of an agent's model: the prompt within its budget, tools, limits."""

from dataclasses import dataclass, replace

from covel_host.models.limits import CallLimits
from covel_host.models.messages import (
    CompletionHint,
    ModelRequest,
    SystemMessage,
    ToolChoice,
    ToolSpec,
    prompt_cache_key,
)
from covel_host.models.slots import Slot
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.prompt_budget import resolve_budget
from covel_host.runtime.prompt_inputs import PromptParts
from covel_host.runtime.prompt_trimming import fit_prompt
from covel_host.runtime.run import RuntimeRun
from covel_host.trace.log import RunTrace

MIN_CALL_BUDGET_MS = 120_000
"""An agent's call has the larger of this and what its run has left (spec/models.md 4.3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """One model call before the budget; `slot` is the name that it asks for.

    `is_chosen` says that a hook named the slot, which must be there then.
    """

    parts: PromptParts
    offered: tuple[ToolSpec, ...]
    slot: str | None
    is_chosen: bool = False
    stream: bool = True


def fitted_call(
    call: PlannedCall,
    *,
    slot: Slot | None,
    offered_tokens: int,
    trace: RunTrace,
    window_cap_tokens: int | None = None,
) -> PlannedCall:
    """`call` with its prompt within the window of the model that answers.

    `offered_tokens` is what the offered tools cost, see `request_size.overhead_tokens`;
    `window_cap_tokens` can only lower the window.

    Raises:
        PromptTooLarge: what may not be trimmed does not fit.
    """
    window = None if slot is None else slot.context_window
    budget = resolve_budget(
        context_window_tokens=None if window is None else window.value,
        max_output_tokens=None if slot is None else slot.output_limit(None),
        window_cap_tokens=window_cap_tokens,
    )
    fitted = fit_prompt(call.parts, budget, overhead_tokens=offered_tokens)
    if not fitted.was_pruned:
        return call
    trace.add(
        "context.pruned",
        droppedHistory=fitted.dropped_history,
        shortenedResults=fitted.shortened_results,
        droppedSummaries=fitted.dropped_summaries,
    )
    return replace(call, parts=fitted.parts)


def model_request(
    run: RuntimeRun,
    call: PlannedCall,
    *,
    own_tools: tuple[str, ...],
    choice: ToolChoice,
    settings: CompletionSettings,
) -> ModelRequest:
    """What is sent for `call`; `own_tools` are the package's own."""
    schema, parts = run.output_schema, call.parts
    return ModelRequest(
        messages=(SystemMessage(parts.system), *(entry.message for entry in parts.messages)),
        tools=call.offered,
        tool_choice=choice if call.offered else "auto",
        stream=call.stream,
        completion=CompletionHint(
            own_tools=own_tools,
            after_tools=settings.after_tools,
            output_schema=None
            if schema is None or isinstance(schema.schema, bool)
            else dict(schema.schema),
        ),
        cache_key=prompt_cache_key(run.session_id, run.runtime_id),
        reasoning_effort=run.manifest.agent_settings.llm.reasoning_effort,
    )


def call_limits(run: RuntimeRun, *, remaining_s: float | None, attempts_left: int) -> CallLimits:
    """The time of one call (spec/models.md 4.4); `remaining_s` is what the run has left."""
    loop = run.manifest.agent_settings.loop
    is_first_token_written = "first_token_timeout_ms" in loop.model_fields_set
    return CallLimits(
        budget_ms=max(MIN_CALL_BUDGET_MS, round((remaining_s or 0) * 1000)),
        idle_ms=loop.idle_timeout_ms,
        first_token_ms=loop.first_token_timeout_ms if is_first_token_written else None,
        call_ms=loop.call_timeout_ms,
        attempts_left=attempts_left,
    )
