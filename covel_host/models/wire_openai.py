"""OpenAI's two text formats: Chat, which most providers speak, and Responses."""

from typing import Any, cast

from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from pydantic_ai.models.openai import (
    OpenAIChatModel,
    OpenAIChatModelSettings,
    OpenAIResponsesModel,
    OpenAIResponsesModelSettings,
)
from pydantic_ai.providers import Provider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from covel_host.models.messages import ModelRequest
from covel_host.models.provider_http import key_for_library
from covel_host.models.providers import BUILTIN_PROVIDERS, same_origin
from covel_host.models.slots import Slot
from covel_host.models.wire_protocol import WireProtocol
from covel_host.models.wire_settings import (
    EFFORTS,
    UNCHANGED,
    common_settings,
    host_option,
    sent_options,
    set_thinking,
)


def _client(slot: Slot, http: DefaultAsyncHttpxClient) -> AsyncOpenAI:
    return AsyncOpenAI(
        api_key=key_for_library(slot),
        base_url=slot.base_url.value,
        max_retries=0,
        http_client=http,
    )


def _provider(slot: Slot, http: DefaultAsyncHttpxClient) -> Provider[AsyncOpenAI]:
    client = _client(slot, http)
    if slot.provider.value == "openai":
        return OpenAIProvider(openai_client=client)
    return OpenAICompatibleProvider(slot.provider.value, openai_client=client)


def _chat_model(slot: Slot, http: DefaultAsyncHttpxClient) -> OpenAIChatModel:
    profile = dict(UNCHANGED)
    if slot.provider.value != "openai":
        # Providers that only speak the format know `max_tokens`, few the newer name.
        profile["openai_chat_supports_max_completion_tokens"] = False
    return OpenAIChatModel(
        slot.model.value, provider=_provider(slot, http), profile=cast(Any, profile)
    )


def _chat_settings(request: ModelRequest, slot: Slot) -> OpenAIChatModelSettings:
    settings = OpenAIChatModelSettings()
    common_settings(request, slot, settings)
    effort = slot.reasoning_effort
    if effort is None:
        set_thinking(request, slot, settings)
    elif effort.value in EFFORTS:
        # Other providers' models are in no table of the library: a person's word goes out as it is.
        settings["openai_reasoning_effort"] = EFFORTS[effort.value]
    if (cache_key := _cache_key(request, slot)) is not None:
        settings["openai_prompt_cache_key"] = cache_key
    body = sent_options(slot)
    if request.response_schema is not None and not request.tools:
        body.setdefault("response_format", {"type": "json_object"})
    if body:
        settings["extra_body"] = body
    return settings


def _responses_model(slot: Slot, http: DefaultAsyncHttpxClient) -> OpenAIResponsesModel:
    return OpenAIResponsesModel(
        slot.model.value, provider=_provider(slot, http), profile=cast(Any, UNCHANGED)
    )


def _responses_settings(request: ModelRequest, slot: Slot) -> OpenAIResponsesModelSettings:
    # The provider keeps nothing: what a reply needs of earlier ones goes with the request.
    settings = OpenAIResponsesModelSettings(openai_store=False)
    common_settings(request, slot, settings)
    set_thinking(request, slot, settings)
    if settings.get("thinking"):
        settings["openai_reasoning_summary"] = "auto"
    if (cache_key := _cache_key(request, slot)) is not None:
        settings["openai_prompt_cache_key"] = cache_key
    if body := sent_options(slot):
        settings["extra_body"] = body
    return settings


def _cache_key(request: ModelRequest, slot: Slot) -> str | None:
    chosen = host_option(slot, "promptCacheKey")
    if isinstance(chosen, str):
        return chosen
    is_own_host = same_origin(slot.base_url.value, BUILTIN_PROVIDERS["openai"].base_url)
    return request.cache_key if is_own_host else None


CHAT = WireProtocol(
    open_model=_chat_model,
    settings=_chat_settings,
    finish_reasons={
        "stop": "stop",
        "length": "length",
        "tool_calls": "tool_calls",
        "function_call": "tool_calls",
        "content_filter": "content_filter",
        "error": "error",
    },
)

RESPONSES = WireProtocol(
    open_model=_responses_model,
    settings=_responses_settings,
    finish_reasons={
        "completed": "stop",
        "max_output_tokens": "length",
        "content_filter": "content_filter",
        "failed": "error",
        "cancelled": "error",
    },
    end_marks=frozenset({"response.completed", "response.incomplete", "response.failed"}),
    sends_schema=True,
)
