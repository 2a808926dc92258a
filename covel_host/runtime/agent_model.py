"""Asking the model for one reply: request, budget, stream, and what is tried again."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from covel_host.base.errors import HostError
from covel_host.base.unicode_text import storable_text
from covel_host.models.errors import ModelError
from covel_host.models.limits import CallLimits
from covel_host.models.messages import (
    CompletionHint,
    Delta,
    ModelReply,
    ModelRequest,
    SystemMessage,
    TextDelta,
    ToolChoice,
    UserMessage,
    prompt_cache_key,
)
from covel_host.runtime.agent_tools import AgentTools
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.deadline import RunDeadline
from covel_host.runtime.prompt_budget import overhead_tokens, resolve_budget
from covel_host.runtime.prompt_inputs import PromptMessage, PromptParts
from covel_host.runtime.prompt_texts import sentence
from covel_host.runtime.prompt_trimming import FittedPrompt, fit_prompt
from covel_host.runtime.result import ModelUse
from covel_host.runtime.run import RunPorts, RuntimeRun


class ReplyCutOff(HostError):
    """The model's replies reached its output limit; calls and JSON in them are unusable."""

    def __init__(self, runtime_id: str) -> None:
        super().__init__(
            f"The model's reply for {runtime_id!r} was cut off at its output limit, twice.",
            code="reply-cut-off",
            hint="Raise the slot's maxOutputTokens, or ask for less at once.",
        )


@dataclass(slots=True)
class AgentModel:
    """The model of one run; `ask` gives one complete reply, `use` adds up all that were given."""

    run: RuntimeRun
    ports: RunPorts
    settings: CompletionSettings
    tools: AgentTools
    deadline: RunDeadline
    use: ModelUse = field(default_factory=ModelUse)

    async def ask(
        self, parts: PromptParts, transcript: Sequence[PromptMessage], choice: ToolChoice
    ) -> ModelReply:
        """The next reply to the prompt and the exchange of this run so far.

        A reply cut off by the output limit is asked for once more, with a note to be shorter; a
        story that wrote only text keeps what it has (spec/manifest.md 12.6).

        Raises:
            ModelError: no reply, after the retries of `agent.loop.maxRetries`.
            ReplyCutOff: two replies were cut off.
            PromptTooLarge: what may not be trimmed does not fit the model's window.
        """
        reply = await self._retried(parts, transcript, choice)
        if not self._is_cut_off(reply):
            return reply
        await self.ports.on_text("", True)
        hint = PromptMessage(
            UserMessage(sentence("cut-off", self.run.instruction_locale)), "transcript"
        )
        again = await self._retried(parts, [*transcript, hint], choice)
        if self._is_cut_off(again):
            raise ReplyCutOff(self.run.runtime_id)
        return again

    def _is_cut_off(self, reply: ModelReply) -> bool:
        if reply.finish_reason != "length":
            return False
        return not (self.settings.is_story and reply.text.strip() and not reply.calls)

    async def _retried(
        self, parts: PromptParts, transcript: Sequence[PromptMessage], choice: ToolChoice
    ) -> ModelReply:
        retries = self.run.manifest.agent_settings.loop.max_retries
        for attempt in range(retries + 1):
            try:
                return await self._once(
                    parts, transcript, choice, attempts_left=retries + 1 - attempt
                )
            except ModelError as error:
                if attempt == retries or not self._may_retry(error):
                    raise
                await self.ports.on_text("", True)
        raise AssertionError("the loop ends by return or raise")

    def _may_retry(self, error: ModelError) -> bool:
        # What a story has shown to the player is not taken back (spec/manifest.md 12.6).
        if self.settings.is_story and error.facts.output_started:
            return False
        return error.retriable

    async def _once(
        self,
        parts: PromptParts,
        transcript: Sequence[PromptMessage],
        choice: ToolChoice,
        *,
        attempts_left: int,
    ) -> ModelReply:
        request = self._request(self._fitted(parts, transcript), choice)
        trace = self.ports.trace
        trace.add("llm.calling", messages=len(request.messages), tools=len(request.tools))
        with self.deadline.model_call():
            try:
                reply = await self.ports.gateway.complete(
                    request,
                    slot=self._slot_name(),
                    limits=self._limits(attempts_left),
                    on_delta=self._show,
                )
            except ModelError as error:
                trace.add("llm.responded", error=error.message, code=error.code)
                raise
        reply = _storable(reply)
        self.use = self.use.plus(reply.usage)
        trace.add(
            "llm.responded",
            text=reply.text,
            calls=[{"name": call.name, "arguments": call.arguments} for call in reply.calls],
            finishReason=reply.finish_reason,
            provider=reply.provider,
            model=reply.model,
            usage={
                "inputTokens": reply.usage.input_tokens,
                "outputTokens": reply.usage.output_tokens,
            },
        )
        return reply

    def _fitted(self, parts: PromptParts, transcript: Sequence[PromptMessage]) -> PromptParts:
        slot = self.ports.gateway.slot_for(self._slot_name())
        budget = resolve_budget(
            context_window_tokens=slot.context_window.value
            if slot is not None and slot.context_window is not None
            else None,
            max_output_tokens=None if slot is None else slot.output_limit(None),
        )
        whole = PromptParts(parts.system, (*parts.messages, *transcript))
        fitted: FittedPrompt = fit_prompt(
            whole, budget, overhead_tokens=overhead_tokens(self.tools.offered)
        )
        if fitted.was_pruned:
            self.ports.trace.add(
                "context.pruned",
                droppedHistory=fitted.dropped_history,
                shortenedResults=fitted.shortened_results,
                droppedSummaries=fitted.dropped_summaries,
            )
        return fitted.parts

    def _request(self, parts: PromptParts, choice: ToolChoice) -> ModelRequest:
        schema = self.run.output_schema
        return ModelRequest(
            messages=(
                SystemMessage(parts.system),
                *(entry.message for entry in parts.messages),
            ),
            tools=self.tools.offered,
            tool_choice=choice if self.tools.offered else "auto",
            completion=CompletionHint(
                own_tools=self.tools.own,
                after_tools=self.settings.after_tools,
                output_schema=dict(schema.schema)
                if schema is not None and not isinstance(schema.schema, bool)
                else None,
            ),
            cache_key=prompt_cache_key(self.run.session_id, self.run.runtime_id),
        )

    def _slot_name(self) -> str | None:
        return self.run.slot or self.run.manifest.agent_settings.model

    def _limits(self, attempts_left: int) -> CallLimits:
        loop = self.run.manifest.agent_settings.loop
        remaining = self.deadline.remaining_s
        written = loop.model_fields_set
        return CallLimits(
            # An agent's call has the larger of 120 s and what its run has left (models.md 4.3).
            budget_ms=max(120_000, round((remaining or 0) * 1000)),
            idle_ms=loop.idle_timeout_ms,
            first_token_ms=loop.first_token_timeout_ms
            if "first_token_timeout_ms" in written
            else None,
            call_ms=loop.call_timeout_ms,
            attempts_left=attempts_left,
        )

    async def _show(self, delta: Delta) -> None:
        self.deadline.wrote()
        if isinstance(delta, TextDelta):
            await self.ports.on_text(storable_text(delta.text), False)


def _storable(reply: ModelReply) -> ModelReply:
    """The reply without text that nothing could store; arguments are read by the tools' rules."""
    calls = tuple(
        replace(call, call_id=storable_text(call.call_id), name=storable_text(call.name))
        for call in reply.calls
    )
    return replace(reply, text=storable_text(reply.text), calls=calls)
