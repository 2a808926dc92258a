"""Asking the model for one reply: what streams meanwhile, and what is tried again."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from covel_host.base.errors import HostError
from covel_host.base.unicode_text import storable_text
from covel_host.models.errors import ModelError
from covel_host.models.limits import CallBudget
from covel_host.models.messages import (
    Delta,
    ModelReply,
    ModelRequest,
    TextDelta,
    ToolChoice,
    ToolSpec,
    UserMessage,
)
from covel_host.models.reply_facts import calling_facts, failure_facts, reply_facts
from covel_host.models.request_size import overhead_tokens
from covel_host.runtime.agent_request import (
    PlannedCall,
    call_limits,
    fitted_call,
    model_request,
)
from covel_host.runtime.agent_tools import AgentTools
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.deadline import RunDeadline
from covel_host.runtime.private_traces import traced_reply
from covel_host.runtime.prompt_hooks import CallPlanning
from covel_host.runtime.prompt_inputs import PromptMessage, PromptParts
from covel_host.runtime.prompt_texts import sentence
from covel_host.runtime.result import ModelUse
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.traced_prompts import TracedPrompts


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

    `sent` is the newest request, `traced` what the trace keeps of requests.
    """

    run: RuntimeRun
    ports: RunPorts
    settings: CompletionSettings
    tools: AgentTools
    deadline: RunDeadline
    planning: CallPlanning
    traced: TracedPrompts
    sent: ModelRequest | None = None
    use: ModelUse = field(default_factory=ModelUse)
    _weighed: tuple[tuple[ToolSpec, ...], int] | None = None

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
        call = await self._planned(replace(parts, messages=(*parts.messages, *transcript)))
        retries = self.run.manifest.agent_settings.loop.max_retries
        # All attempts are one logical call: they share its time and its requests.
        budget = CallBudget()
        for attempt in range(retries + 1):
            try:
                return await self._once(
                    call,
                    choice,
                    budget=budget,
                    attempt=attempt + 1,
                    attempts_left=retries + 1 - attempt,
                )
            except ModelError as error:
                if attempt == retries or not self._may_retry(error):
                    raise
                await self.ports.on_text("", True)
                if error.code == "reply-broken" and not error.facts.output_started:
                    # Some servers accept a request for a stream and cannot give one.
                    call = replace(call, stream=False)
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
        return fitted_call(
            call,
            slot=gateway.slot_for(call.slot),
            offered_tokens=self._offered_tokens(call.offered),
            trace=self.ports.trace,
            window_cap_tokens=self.ports.window_cap_tokens,
        )

    def _offered_tokens(self, offered: tuple[ToolSpec, ...]) -> int:
        # Most runs offer the same tools in every step.
        if self._weighed is None or self._weighed[0] is not offered:
            self._weighed = (offered, overhead_tokens(offered))
        return self._weighed[1]

    def _may_retry(self, error: ModelError) -> bool:
        # What a story has shown to the player is not taken back (spec/manifest.md 12.6).
        if self.settings.is_story and error.facts.output_started:
            return False
        return error.retriable

    async def _once(
        self,
        call: PlannedCall,
        choice: ToolChoice,
        *,
        budget: CallBudget,
        attempt: int,
        attempts_left: int,
    ) -> ModelReply:
        trace = self.ports.trace
        request = model_request(
            self.run, call, own_tools=self.tools.own, choice=choice, settings=self.settings
        )
        self.sent = request
        slot = self.ports.gateway.slot_for(call.slot)
        trace.add_call(
            self.traced.sent(request, call.parts), **calling_facts(request, slot, attempt=attempt)
        )
        started = self.ports.clock.monotonic()
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
                    budget=budget,
                    on_waiting=self.deadline.waiting,
                )
            except ModelError as error:
                took_ms = round((self.ports.clock.monotonic() - started) * 1000)
                trace.add(
                    "llm.responded", **failure_facts(error), attempt=attempt, durationMs=took_ms
                )
                raise
        took_ms = round((self.ports.clock.monotonic() - started) * 1000) - reply.queued_ms
        reply = _storable(reply)
        self.use = self.use.plus(reply.usage)
        told = traced_reply(self.run, reply_facts(reply))
        trace.add("llm.responded", **told, attempt=attempt, durationMs=max(took_ms, 0))
        if not request.stream and reply.text:
            await self.ports.on_text(reply.text, False)
        if reply.finish_reason in ("content_filter", "error"):
            raise ReplyStopped(self.run.runtime_id, reply.finish_reason)
        return reply

    async def _show(self, delta: Delta) -> None:
        self.deadline.wrote()
        if isinstance(delta, TextDelta):
            await self.ports.on_text(storable_text(delta.text), False)


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
