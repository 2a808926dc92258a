"""Asking the model for one reply: what streams meanwhile, and what is tried again."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from covel_host.base.errors import HostError
from covel_host.base.unicode_text import storable_text
from covel_host.models.errors import ModelError
from covel_host.models.messages import (
    Delta,
    ModelReply,
    ModelRequest,
    TextDelta,
    ToolChoice,
    UserMessage,
)
from covel_host.runtime.agent_request import (
    PlannedCall,
    call_limits,
    fitted_call,
    model_request,
)
from covel_host.runtime.agent_tools import AgentTools
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.deadline import RunDeadline
from covel_host.runtime.prompt_hooks import CallPlanning
from covel_host.runtime.prompt_inputs import PromptMessage, PromptParts
from covel_host.runtime.prompt_texts import sentence
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


class ReplyStopped(HostError):
    """The provider broke the reply off by its own will; what there is of it is not used."""

    def __init__(self, runtime_id: str, finish_reason: str) -> None:
        why = "by its content filter" if finish_reason == "content_filter" else "with an error"
        super().__init__(
            f"The provider stopped the model's reply for {runtime_id!r} {why}.",
            code="reply-stopped",
            hint="Ask in other words, or use another model.",
        )


@dataclass(slots=True)
class AgentModel:
    """The model of one run; `ask` gives one complete reply, `use` adds up all that were given.

    `sent` is the newest request.
    """

    run: RuntimeRun
    ports: RunPorts
    settings: CompletionSettings
    tools: AgentTools
    deadline: RunDeadline
    planning: CallPlanning
    sent: ModelRequest | None = None
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
            ReplyStopped: the provider broke the reply off.
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
        call = await self._planned(PromptParts(parts.system, (*parts.messages, *transcript)))
        retries = self.run.manifest.agent_settings.loop.max_retries
        for attempt in range(retries + 1):
            try:
                return await self._once(call, choice, attempts_left=retries + 1 - attempt)
            except ModelError as error:
                if attempt == retries or not self._may_retry(error):
                    raise
                await self.ports.on_text("", True)
        raise AssertionError("the loop ends by return or raise")

    async def _planned(self, parts: PromptParts) -> PlannedCall:
        """The call as hooks left it, within the window of the model that answers it."""
        slot = self.run.slot or self.run.manifest.agent_settings.model
        call = await self.planning.planned(
            PlannedCall(parts=parts, offered=self.tools.offered, slot=slot)
        )
        gateway = self.ports.gateway
        if call.slot is not None and call.is_chosen:
            gateway.check_slot(call.slot)
        return fitted_call(call, slot=gateway.slot_for(call.slot), trace=self.ports.trace)

    def _may_retry(self, error: ModelError) -> bool:
        # What a story has shown to the player is not taken back (spec/manifest.md 12.6).
        if self.settings.is_story and error.facts.output_started:
            return False
        return error.retriable

    async def _once(
        self, call: PlannedCall, choice: ToolChoice, *, attempts_left: int
    ) -> ModelReply:
        trace = self.ports.trace
        request = model_request(
            self.run, call, own_tools=self.tools.own, choice=choice, settings=self.settings
        )
        self.sent = request
        trace.add("llm.calling", messages=len(request.messages), tools=len(request.tools))
        with self.deadline.model_call():
            try:
                reply = await self.ports.gateway.complete(
                    request,
                    slot=call.slot,
                    limits=call_limits(
                        self.run,
                        remaining_s=self.deadline.remaining_s,
                        attempts_left=attempts_left,
                    ),
                    on_delta=self._show,
                )
            except ModelError as error:
                trace.add("llm.responded", error=error.message, code=error.code)
                raise
        self.deadline.extend(reply.queued_ms / 1000)
        reply = _storable(reply)
        self.use = self.use.plus(reply.usage)
        trace.add("llm.responded", **_reply_facts(reply))
        if not request.stream and reply.text:
            await self.ports.on_text(reply.text, False)
        if reply.finish_reason in ("content_filter", "error"):
            raise ReplyStopped(self.run.runtime_id, reply.finish_reason)
        return reply

    async def _show(self, delta: Delta) -> None:
        self.deadline.wrote()
        if isinstance(delta, TextDelta):
            await self.ports.on_text(storable_text(delta.text), False)


def _reply_facts(reply: ModelReply) -> dict[str, object]:
    return {
        "text": reply.text,
        "calls": [{"name": call.name, "arguments": call.arguments} for call in reply.calls],
        "finishReason": reply.finish_reason,
        "provider": reply.provider,
        "model": reply.model,
        "usage": {
            "inputTokens": reply.usage.input_tokens,
            "outputTokens": reply.usage.output_tokens,
        },
    }


def _storable(reply: ModelReply) -> ModelReply:
    """The reply without text that nothing could store; arguments are read by the tools' rules."""
    texts = [reply.text]
    for call in reply.calls:
        texts += (call.call_id, call.name)
    if all(text.isascii() for text in texts):
        return reply
    calls = tuple(
        replace(call, call_id=storable_text(call.call_id), name=storable_text(call.name))
        for call in reply.calls
    )
    return replace(reply, text=storable_text(reply.text), calls=calls)
