"""The one module that talks to model providers, through pydantic-ai's direct request API.

It sends one request and reads one answer. Retries, time limits and the check that a stream has
reached its end are ours: the libraries' own retries are off (spec/decisions.md 6).

Traps it goes round (design/traps.md, "Models through pydantic-ai"): a finish reason is invented
when the provider sent none, usage of nobody is 0, broken answers raise all kinds of exceptions, and
profiles rewrite schemas and text. Only the OpenAI Chat format is served.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout
from pydantic_ai import direct
from pydantic_ai import messages as wire
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIChatModelSettings
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from covel_host.base.json_text import dump_json
from covel_host.models.messages import (
    AssistantMessage,
    FinishReason,
    Message,
    ModelCall,
    ModelReply,
    ModelRequest,
    NamedTool,
    ReasoningDelta,
    SystemMessage,
    TextDelta,
    ToolMessage,
    ToolSpec,
    Usage,
    UserMessage,
)
from covel_host.models.port import CallProgress, PieceSink, StreamPiece
from covel_host.models.provider_errors import broken_reply, provider_error, refusal
from covel_host.models.providers import BUILTIN_PROVIDERS, is_loopback, same_origin
from covel_host.models.slots import Slot

_CONNECT_S = 15.0
# Nothing else leaves the process: the OpenAI library would add headers from the environment
# (OPENAI_ORG_ID, OPENAI_CUSTOM_HEADERS, …) and facts about this machine to every address.
_SENT_HEADERS = frozenset(
    {"accept", "accept-encoding", "connection", "content-length", "content-type", "host"}
)
_OWN_HEADERS = frozenset({"openai-organization", "openai-project"})
_USER_AGENT = "covel-host"

_FINISH_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
    "error": "error",
}

# Schemas and texts go out as they are: no added `additionalProperties`, no dropped `title`, no
# changed special tokens.
_PROFILE: dict[str, Any] = {
    "json_schema_transformer": None,
    "may_tokenize_special_tokens_in_content": False,
}


class ProviderModel:
    """One slot's model behind an OpenAI Chat address; calls may run at once in one event loop."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._http = _http_client(slot)
        self._model = _chat_model(slot, self._http)

    async def complete(self, request: ModelRequest, *, on_piece: PieceSink) -> ModelReply:
        """The provider's reply to one request, sent once.

        Raises:
            ModelError: no complete reply; the library's exception is the cause.
        """
        history = _history(request.messages)
        settings = _settings(request, self._slot)
        parameters = ModelRequestParameters(function_tools=[_tool(t) for t in request.tools])
        async with self._errors():
            if not request.stream:
                response = await direct.model_request(
                    self._model,
                    history,
                    model_settings=settings,
                    model_request_parameters=parameters,
                    instrument=False,
                )
                return self._reply(response, needs_end_mark=False)
            stream = direct.model_request_stream(
                self._model,
                history,
                model_settings=settings,
                model_request_parameters=parameters,
                instrument=False,
            )
        return await self._read_stream(stream, on_piece)

    async def aclose(self) -> None:
        """Close the connections of this slot."""
        await self._http.aclose()

    async def _read_stream(self, stream: Any, on_piece: PieceSink) -> ModelReply:
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
                piece = _piece(event)
                if piece is not None:
                    await on_piece(piece)
        finally:
            async with self._errors():
                await stream.__aexit__(None, None, None)
        return self._reply(response.get(), needs_end_mark=True)

    @asynccontextmanager
    async def _errors(self) -> AsyncIterator[None]:
        try:
            yield
        except Exception as error:
            raise provider_error(error, self._slot) from error

    def _reply(self, response: wire.ModelResponse, *, needs_end_mark: bool) -> ModelReply:
        details = response.provider_details or {}
        if refused := details.get("refusal"):
            raise refusal(str(refused), self._slot)
        raw = details.get("finish_reason")
        # The library says "stop" where the provider said nothing; a null delta beside a real end
        # mark leaves its reason empty instead.
        if needs_end_mark and raw is None and response.finish_reason is not None:
            raise broken_reply("ended its stream without an end mark", self._slot)
        return ModelReply(
            text=_joined(response.parts, wire.TextPart),
            calls=tuple(_calls(response.parts)),
            finish_reason="other" if raw is None else _FINISH_REASONS.get(str(raw), "other"),
            raw_finish_reason=None if raw is None else str(raw),
            usage=_usage(response.usage),
            reasoning=_joined(response.parts, wire.ThinkingPart),
            provider=self._slot.provider.value,
            model=response.model_name or self._slot.model.value,
        )


def _http_client(slot: Slot) -> DefaultAsyncHttpxClient:
    key = slot.key.value
    builtin = BUILTIN_PROVIDERS["openai"]
    own_host = same_origin(slot.base_url.value, builtin.base_url)
    allowed = _SENT_HEADERS | _OWN_HEADERS if own_host else _SENT_HEADERS

    async def keep_headers(request: Any) -> None:
        for name in list(request.headers):
            if name.lower() not in allowed:
                del request.headers[name]
        request.headers["User-Agent"] = _USER_AGENT
        if key is not None:
            request.headers["Authorization"] = f"Bearer {key}"

    return DefaultAsyncHttpxClient(
        # Redirects would carry the conversation to an address nobody configured.
        follow_redirects=False,
        # The gateway keeps the time limits; only connecting has one of its own.
        timeout=Timeout(None, connect=_CONNECT_S),
        trust_env=not is_loopback(slot.base_url.value),
        event_hooks={"request": [keep_headers]},
    )


def _chat_model(slot: Slot, http_client: DefaultAsyncHttpxClient) -> OpenAIChatModel:
    client = AsyncOpenAI(
        # The library demands some key; the client's hook decides what is really sent.
        api_key=slot.key.value or "none",
        base_url=slot.base_url.value,
        max_retries=0,
        http_client=http_client,
    )
    name = slot.provider.value
    if name == "openai":
        return OpenAIChatModel(
            slot.model.value,
            provider=OpenAIProvider(openai_client=client),
            profile=cast(Any, _PROFILE),
        )
    # Providers that only speak the format know `max_tokens`, few the newer name.
    profile = {**_PROFILE, "openai_chat_supports_max_completion_tokens": False}
    return OpenAIChatModel(
        slot.model.value,
        provider=OpenAICompatibleProvider(name, openai_client=client),
        profile=cast(Any, profile),
    )


def _settings(request: ModelRequest, slot: Slot) -> OpenAIChatModelSettings:
    settings = OpenAIChatModelSettings()
    if request.tools:
        settings["tool_choice"] = _tool_choice(request)
    limit = slot.output_limit(request.max_output_tokens)
    if limit is not None:
        settings["max_tokens"] = limit
    if request.temperature is not None:
        settings["temperature"] = request.temperature
    effort = slot.reasoning_effort
    if effort is not None and effort.value in _EFFORTS:
        settings["openai_reasoning_effort"] = _EFFORTS[effort.value]
    if request.cache_key is not None and same_origin(
        slot.base_url.value, BUILTIN_PROVIDERS["openai"].base_url
    ):
        settings["openai_prompt_cache_key"] = request.cache_key
    options = slot.provider_options.value if slot.provider_options is not None else {}
    # The more specific name wins: the provider's own options over those of its protocol.
    body = {
        **_mapping(options.get(slot.protocol.value)),
        **_mapping(options.get(slot.provider.value)),
    }
    if body:
        settings["extra_body"] = body
    return settings


def _tool_choice(request: ModelRequest) -> Any:
    choice = request.tool_choice
    if not isinstance(choice, NamedTool):
        return choice
    offered = any(tool.name == choice.name for tool in request.tools)
    return [choice.name] if offered else "auto"


# Words of ours that mean "leave it to the provider" are not sent.
_EFFORTS: dict[str, Any] = {
    "disabled": "none",
    "none": "none",
    "minimal": "minimal",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "xhigh": "xhigh",
    "max": "max",
}


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _history(items: Sequence[Message]) -> list[wire.ModelMessage]:
    history: list[wire.ModelMessage] = []
    for item in items:
        if isinstance(item, AssistantMessage):
            history.append(_earlier_reply(item))
            continue
        part = _request_part(item)
        last = history[-1] if history else None
        if isinstance(last, wire.ModelRequest):
            last.parts = [*last.parts, part]
        else:
            history.append(wire.ModelRequest(parts=[part]))
    return history


def _earlier_reply(item: AssistantMessage) -> wire.ModelResponse:
    parts: list[wire.ModelResponsePart] = []
    if item.text:
        parts.append(wire.TextPart(item.text))
    # Arguments that are no JSON object go out wrapped in one, which providers accept.
    parts += [
        wire.ToolCallPart(call.name, call.arguments, tool_call_id=call.call_id)
        for call in item.calls
    ]
    return wire.ModelResponse(parts=parts)


def _request_part(
    item: SystemMessage | UserMessage | ToolMessage,
) -> wire.ModelRequestPart:
    if isinstance(item, SystemMessage):
        return wire.SystemPromptPart(item.text)
    if isinstance(item, UserMessage):
        return wire.UserPromptPart(item.text)
    return wire.ToolReturnPart(item.tool_name, item.text, tool_call_id=item.call_id)


def _tool(spec: ToolSpec) -> ToolDefinition:
    return ToolDefinition(
        name=spec.name,
        description=spec.description,
        parameters_json_schema=cast(dict[str, Any], spec.input_schema),
        strict=False,
    )


def _piece(event: Any) -> StreamPiece | None:
    # The first piece of a part comes with its start.
    if isinstance(event, wire.PartStartEvent):
        return _piece_of(event.part, getattr(event.part, "content", None))
    if isinstance(event, wire.PartDeltaEvent):
        return _piece_of(event.delta, getattr(event.delta, "content_delta", None))
    return None


def _piece_of(part: Any, text: str | None) -> StreamPiece | None:
    if isinstance(part, (wire.TextPart, wire.TextPartDelta)):
        return TextDelta(text) if text else None
    if isinstance(part, (wire.ThinkingPart, wire.ThinkingPartDelta)):
        return ReasoningDelta(text) if text else None
    return CallProgress()


def _joined(parts: Sequence[Any], kind: type[wire.TextPart] | type[wire.ThinkingPart]) -> str:
    return "".join(part.content for part in parts if isinstance(part, kind))


def _calls(parts: Sequence[Any]) -> list[ModelCall]:
    return [
        ModelCall(part.tool_call_id, part.tool_name, _raw_arguments(part.args))
        for part in parts
        if isinstance(part, wire.ToolCallPart)
    ]


def _raw_arguments(arguments: str | dict[str, Any] | None) -> str:
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else dump_json(arguments)


def _usage(usage: RequestUsage) -> Usage:
    return Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_input_tokens=usage.cache_read_tokens or None,
        cache_write_input_tokens=usage.cache_write_tokens or None,
    )
