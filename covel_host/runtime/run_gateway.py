"""`ctx.gateway`: the host's models for the code of one run (spec/execution.md 6.2)."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from covel_host.models.embeddings import EmbeddedTexts
from covel_host.models.errors import ModelError
from covel_host.models.limits import CallBudget, CallLimits
from covel_host.models.messages import (
    Delta,
    DeltaSink,
    ModelReply,
    ModelRequest,
    TextDelta,
)
from covel_host.models.reply_facts import usage_facts
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.gateway_messages import (
    ANSWER_TOOL,
    answer_of,
    answer_spec,
    asked_schema,
    chat_messages,
    compiled,
    correction,
)
from covel_host.runtime.result import ModelUse
from covel_host.runtime.run import RunPorts, RuntimeRun
from plugin_sdk.errors import ToolError, ToolErrorCode
from plugin_sdk.records import ChatMessage, EmbeddingReply, ObjectReply, ResolvedSlot, TextReply
from plugin_sdk.records import Usage as ShownUsage
from plugin_sdk.values import JsonValue

_STOPPED = ("content_filter", "error")


class RunGateway:
    """Model calls on behalf of one run; `use` adds up all that were answered.

    `slot` is asked where a call names none. `on_queued` gets the seconds a call waited for its turn
    among the calls at once, which are not the run's own time (spec/models.md 4.4).
    """

    def __init__(
        self,
        run: RuntimeRun,
        ports: RunPorts,
        life: CallLife,
        *,
        slot: str | None,
        on_queued: Callable[[float], None],
    ) -> None:
        self._run = run
        self._ports = ports
        self._life = life
        self._slot = run.slot or slot
        self._on_queued = on_queued
        self._streams: set[asyncio.Task[ModelReply]] = set()
        self._loop = asyncio.get_running_loop()
        self.use = ModelUse()

    def close(self) -> None:
        """End the streams that nobody read to their end."""
        for stream in self._streams:
            stream.cancel()

    async def generate_text(
        self,
        messages: str | Sequence[ChatMessage],
        *,
        slot: str | None = None,
        max_output_tokens: int | None = None,
        temperature: float | None = None,
        response_format: Mapping[str, JsonValue] | None = None,
    ) -> TextReply:
        request = ModelRequest(
            chat_messages(messages),
            max_output_tokens=max_output_tokens,
            temperature=temperature,
            response_schema=asked_schema(response_format),
        )
        reply = await self._life.use(lambda: self._ask("generate_text", request, slot))
        return TextReply(
            text=reply.text,
            model=reply.model or reply.provider,
            finish_reason=reply.finish_reason,
            usage=_usage(reply),
        )

    async def generate_object(
        self,
        messages: str | Sequence[ChatMessage],
        *,
        schema: Mapping[str, JsonValue],
        slot: str | None = None,
        max_output_tokens: int | None = None,
        temperature: float | None = None,
    ) -> ObjectReply:
        spec, checker = answer_spec(schema), compiled(schema)
        request = ModelRequest(
            chat_messages(messages),
            tools=(spec,),
            tool_choice=ANSWER_TOOL,
            max_output_tokens=max_output_tokens,
            temperature=temperature,
        )

        async def checked() -> ObjectReply:
            asked = request
            for may_correct in (True, False):
                reply = await self._ask("generate_object", asked, slot)
                value, problem = answer_of(reply, schema, checker)
                if problem is None:
                    model = reply.model or reply.provider
                    return ObjectReply(value=value, model=model, usage=_usage(reply))
                if may_correct:
                    asked = correction(asked, reply, problem)
            raise ToolError("internal", f"The model gave no value that fits the schema: {problem}")

        return await self._life.use(checked)

    async def stream_text(
        self,
        messages: str | Sequence[ChatMessage],
        *,
        slot: str | None = None,
        max_output_tokens: int | None = None,
        temperature: float | None = None,
        response_format: Mapping[str, JsonValue] | None = None,
    ) -> AsyncIterator[str]:
        request = ModelRequest(
            chat_messages(messages),
            max_output_tokens=max_output_tokens,
            temperature=temperature,
            response_schema=asked_schema(response_format),
        )
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        stream = await self._life.use(lambda: self._stream(request, slot, pieces))
        try:
            while (piece := await self._life.use(pieces.get)) is not None:
                yield piece
            reply = await self._life.use(lambda: stream)
        finally:
            self._loop.call_soon_threadsafe(stream.cancel)
        if reply.finish_reason == "length":
            raise ToolError("unavailable", "The model's text was cut off at its output limit.")

    async def embed(self, texts: Sequence[str], *, slot: str | None = None) -> EmbeddingReply:
        is_list = isinstance(texts, Sequence) and not isinstance(texts, str)
        if not is_list or not all(isinstance(text, str) for text in texts):
            raise ToolError("invalid-input", "embed takes a list of texts.")
        reply = await self._life.use(lambda: self._embedded(tuple(texts), slot))
        return EmbeddingReply(
            vectors=reply.vectors,
            model=reply.model or reply.provider,
            usage=ShownUsage(input_tokens=reply.usage.input_tokens),
        )

    async def resolve_slot(self, slot: str) -> ResolvedSlot:
        self._life.check()
        try:
            found = self._ports.gateway.slot_for(slot)
        except ModelError as error:
            raise _told(error) from error
        if found is None:
            return ResolvedSlot(slot=slot, provider="offline", model="offline")
        return ResolvedSlot(
            slot=found.name,
            provider=found.provider.value,
            model=found.model.value,
            base_url=found.base_url.value,
            api_key=found.key.value,
        )

    async def _embedded(self, texts: tuple[str, ...], slot: str | None) -> EmbeddedTexts:
        trace, clock = self._ports.trace, self._ports.clock
        started = clock.monotonic()
        trace.add("gateway.calling", method="embed", slot=slot, texts=len(texts))
        try:
            reply = await self._ports.gateway.embed(texts, slot=slot)
        except ModelError as error:
            trace.add("gateway.failed", method="embed", code=error.code, error=error.message)
            raise _told(error) from error
        self._on_queued(reply.queued_ms / 1000)
        if texts:
            self.use = self.use.plus(reply.usage)
        trace.add(
            "gateway.responded",
            method="embed",
            provider=reply.provider,
            model=reply.model,
            usage={"inputTokens": reply.usage.input_tokens},
            durationMs=round((clock.monotonic() - started) * 1000),
        )
        return reply

    async def _stream(
        self, request: ModelRequest, slot: str | None, pieces: "asyncio.Queue[str | None]"
    ) -> "asyncio.Task[ModelReply]":
        async def show(delta: Delta) -> None:
            if isinstance(delta, TextDelta):
                pieces.put_nowait(delta.text)

        stream = self._ports.tasks.start(
            self._ask("stream_text", request, slot, on_delta=show),
            name=f"stream of {self._run.runtime_id}",
        )
        self._streams.add(stream)
        stream.add_done_callback(self._streams.discard)
        stream.add_done_callback(lambda _: pieces.put_nowait(None))
        return stream

    async def _ask(
        self,
        method: str,
        request: ModelRequest,
        slot: str | None,
        *,
        on_delta: DeltaSink | None = None,
    ) -> ModelReply:
        trace, clock = self._ports.trace, self._ports.clock
        started = clock.monotonic()
        trace.add("gateway.calling", method=method, slot=slot or self._slot)
        try:
            reply = await self._answered(request, slot or self._slot, on_delta)
            if reply.finish_reason in _STOPPED:
                raise ToolError("unavailable", "The provider broke the model's reply off.")
        except (ModelError, ToolError) as error:
            trace.add("gateway.failed", method=method, code=error.code, error=error.message)
            raise error if isinstance(error, ToolError) else _told(error) from error
        self._on_queued(reply.queued_ms / 1000)
        self.use = self.use.plus(reply.usage)
        trace.add(
            "gateway.responded",
            method=method,
            finishReason=reply.finish_reason,
            provider=reply.provider,
            model=reply.model,
            usage=usage_facts(reply.usage),
            **({} if reply.cost is None else {"cost": reply.cost.to_json()}),
            durationMs=round((clock.monotonic() - started) * 1000),
        )
        return reply

    async def _answered(
        self, request: ModelRequest, slot: str | None, on_delta: DeltaSink | None
    ) -> ModelReply:
        """The reply; a call that stays silent for half of its time is sent once more."""
        budget, gateway = CallBudget(), self._ports.gateway
        for attempts_left in (2, 1):
            try:
                return await gateway.complete(
                    request,
                    slot=slot,
                    limits=CallLimits(attempts_left=attempts_left),
                    on_delta=on_delta,
                    budget=budget,
                )
            except ModelError as error:
                is_silent = error.code == "model-timeout" and not error.facts.output_started
                if attempts_left == 1 or not is_silent:
                    raise
        raise AssertionError("the loop ends by return or raise")


def _told(error: ModelError) -> ToolError:
    code: ToolErrorCode = "timeout" if error.error_kind == "timeout" else "unavailable"
    return ToolError(code, error.message, hint=error.hint)


def _usage(reply: ModelReply) -> ShownUsage:
    usage = reply.usage
    return ShownUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_input_tokens=usage.cached_input_tokens,
        cache_write_input_tokens=usage.cache_write_input_tokens,
    )
