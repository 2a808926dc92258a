"""One request to a model provider and its answer, through pydantic-ai's direct request API.

Retries, time limits and the check that a stream has reached its end are ours: the libraries' own
retries are off (spec/decisions.md 6). What differs between the formats is in their `WireProtocol`.

Traps it goes round (design/traps.md, "Models through pydantic-ai"): a finish reason is invented
when the provider sent none, usage of nobody is 0, broken answers raise all kinds of exceptions, and
profiles rewrite schemas and text.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from pydantic_ai import direct
from pydantic_ai import messages as wire
from pydantic_ai.exceptions import UserError

from covel_host.models.errors import ModelError
from covel_host.models.messages import FinishReason, ModelReply, ModelRequest
from covel_host.models.port import PieceSink
from covel_host.models.provider_errors import broken_reply, provider_error, refusal
from covel_host.models.provider_http import http_client
from covel_host.models.slots import Slot
from covel_host.models.wire_continuation import continuation_of, identity_of
from covel_host.models.wire_history import told_schema, wire_history, wire_parameters
from covel_host.models.wire_protocol import wire_protocol
from covel_host.models.wire_reply import joined_text, reply_calls, reply_usage, stream_piece
from covel_host.models.wire_settings import host_option
from covel_host.models.wire_watch import EndMarkWatch, watching


class ProviderModel:
    """One slot's model at its address; calls may run at once in one event loop.

    Raises `ModelError` when the extra of the slot's protocol is not installed.
    """

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._protocol = wire_protocol(slot)
        self._identity = identity_of(slot)
        self._http = http_client(slot)
        self._model = self._protocol.open_model(slot, self._http)

    async def complete(self, request: ModelRequest, *, on_piece: PieceSink) -> ModelReply:
        """The provider's reply to one request, sent once.

        Raises:
            ModelError: no complete reply; the library's exception is the cause.
        """
        with watching(self._protocol.end_marks) as watch:
            try:
                response = await self._response(request, on_piece)
            except ModelError as error:
                if request.tool_choice == "auto" or not _is_forcing_refused(error):
                    raise
                # Nothing was sent: thinking or the model forbids to force a call.
                response = await self._response(replace(request, tool_choice="auto"), on_piece)
        return self._reply(response, watch, is_streamed=request.stream)

    async def aclose(self) -> None:
        """Close the connections of this slot."""
        await self._http.aclose()

    async def _response(self, request: ModelRequest, on_piece: PieceSink) -> wire.ModelResponse:
        arguments = self._arguments(request)
        if request.stream:
            return await self._streamed(arguments, on_piece)
        async with self._errors():
            return await direct.model_request(**arguments)

    def _arguments(self, request: ModelRequest) -> dict[str, Any]:
        protocol = self._protocol
        chosen = host_option(self._slot, "lateSystemAsUser")
        history = wire_history(
            told_schema(request, sends_schema=protocol.sends_schema),
            identity=self._identity,
            late_system_as_user=protocol.late_system_as_user if chosen is None else bool(chosen),
            has_cache_marks=protocol.has_cache_marks,
        )
        return {
            "model": self._model,
            "messages": history,
            "model_settings": protocol.settings(request, self._slot),
            "model_request_parameters": wire_parameters(
                request, sends_schema=protocol.sends_schema
            ),
            "instrument": False,
        }

    async def _streamed(self, arguments: dict[str, Any], on_piece: PieceSink) -> wire.ModelResponse:
        stream = direct.model_request_stream(**arguments)
        # Only the library's steps are guarded: an exception of `on_piece` is the caller's own.
        async with self._errors():
            response = await stream.__aenter__()
        try:
            events = aiter(response)
            while True:
                async with self._errors():
                    event = await anext(events, None)
                if event is None:
                    break
                piece = stream_piece(event)
                if piece is not None:
                    await on_piece(piece)
        finally:
            async with self._errors():
                await stream.__aexit__(None, None, None)
        return response.get()

    @asynccontextmanager
    async def _errors(self) -> AsyncIterator[None]:
        try:
            yield
        except Exception as error:
            raise provider_error(error, self._slot) from error

    def _reply(
        self, response: wire.ModelResponse, watch: EndMarkWatch, *, is_streamed: bool
    ) -> ModelReply:
        details = response.provider_details or {}
        raw = details.get("finish_reason")
        self._refuse(details, raw)
        self._require_end(response, watch, raw, is_streamed=is_streamed)
        calls = reply_calls(response.parts)
        return ModelReply(
            text=joined_text(response.parts, wire.TextPart),
            calls=calls,
            finish_reason=self._finish_reason(raw, has_calls=bool(calls)),
            raw_finish_reason=None if raw is None else str(raw),
            usage=reply_usage(response.usage),
            reasoning=joined_text(response.parts, wire.ThinkingPart),
            provider=self._slot.provider.value,
            model=response.model_name or self._slot.model.value,
            continuation=continuation_of(response.parts, self._identity),
        )

    def _require_end(
        self, response: wire.ModelResponse, watch: EndMarkWatch, raw: Any, *, is_streamed: bool
    ) -> None:
        if watch.is_complete is None and raw is None:
            # The library says "stop" where the provider said nothing; a null delta beside a real
            # end mark leaves its reason empty instead.
            is_invented = is_streamed and response.finish_reason is not None
            is_unmarked = is_invented or self._protocol.always_says_why
        else:
            is_unmarked = watch.is_complete is False
        if is_unmarked:
            what = "ended its stream without an end mark" if is_streamed else "sent no reply"
            raise broken_reply(what, self._slot)

    def _refuse(self, details: dict[str, Any], raw: Any) -> None:
        reason = _reason(details)
        if reason or raw in self._protocol.refusal_reasons:
            raise refusal(reason or str(raw), self._slot)
        if raw in self._protocol.malformed_reasons:
            raise broken_reply(f"wrote a tool call that cannot be read ({raw})", self._slot)

    def _finish_reason(self, raw: Any, *, has_calls: bool) -> FinishReason:
        if raw is None:
            return "other"
        reason = self._protocol.finish_reasons.get(str(raw), "other")
        # Some formats have one word for an end with calls and without.
        return "tool_calls" if reason == "stop" and has_calls else reason


def _is_forcing_refused(error: ModelError) -> bool:
    return isinstance(error.__cause__, UserError) and "tool_choice" in str(error.__cause__)


def _reason(details: dict[str, Any]) -> str:
    """Why the provider refused, in its own words, as far as it says."""
    names = ("refusal", "block_reason_message", "refusal_category", "block_reason")
    return next((str(details[name]) for name in names if details.get(name)), "")
