"""One request of an agent's model: the prompt within its budget, tools, limits."""

from collections.abc import Sequence

from covel_host.models.limits import CallLimits
from covel_host.models.messages import (
    CompletionHint,
    ModelRequest,
    SystemMessage,
    ToolChoice,
    prompt_cache_key,
)
from covel_host.models.slots import Slot
from covel_host.runtime.agent_tools import AgentTools
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.prompt_budget import overhead_tokens, resolve_budget
from covel_host.runtime.prompt_inputs import PromptMessage, PromptParts
from covel_host.runtime.prompt_trimming import fit_prompt
from covel_host.runtime.run import RuntimeRun
from covel_host.trace.log import RunTrace

MIN_CALL_BUDGET_MS = 120_000
"""An agent's call has the larger of this and what its run has left (spec/models.md 4.3)."""


def fitted_prompt(
    prompt: PromptParts,
    transcript: Sequence[PromptMessage],
    *,
    slot: Slot | None,
    tools: AgentTools,
    trace: RunTrace,
) -> PromptParts:
    """The prompt and the exchange so far, within the window of the model that answers.

    Raises:
        PromptTooLarge: what may not be trimmed does not fit.
    """
    window = None if slot is None else slot.context_window
    budget = resolve_budget(
        context_window_tokens=None if window is None else window.value,
        max_output_tokens=None if slot is None else slot.output_limit(None),
    )
    whole = PromptParts(prompt.system, (*prompt.messages, *transcript))
    fitted = fit_prompt(whole, budget, overhead_tokens=overhead_tokens(tools.offered))
    if fitted.was_pruned:
        trace.add(
            "context.pruned",
            droppedHistory=fitted.dropped_history,
            shortenedResults=fitted.shortened_results,
            droppedSummaries=fitted.dropped_summaries,
        )
    return fitted.parts


def model_request(
    run: RuntimeRun,
    parts: PromptParts,
    *,
    tools: AgentTools,
    choice: ToolChoice,
    settings: CompletionSettings,
) -> ModelRequest:
    """What is sent for `parts`."""
    schema = run.output_schema
    return ModelRequest(
        messages=(SystemMessage(parts.system), *(entry.message for entry in parts.messages)),
        tools=tools.offered,
        tool_choice=choice if tools.offered else "auto",
        completion=CompletionHint(
            own_tools=tools.own,
            after_tools=settings.after_tools,
            output_schema=None
            if schema is None or isinstance(schema.schema, bool)
            else dict(schema.schema),
        ),
        cache_key=prompt_cache_key(run.session_id, run.runtime_id),
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
