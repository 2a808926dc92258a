"""Anthropic's Messages format; needs the extra `anthropic`."""

from typing import Any, cast

from anthropic import AsyncAnthropic
from openai import DefaultAsyncHttpxClient, Timeout
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.profiles.anthropic import anthropic_model_profile
from pydantic_ai.providers.anthropic import AnthropicProvider

from covel_host.models.messages import ModelRequest
from covel_host.models.provider_http import key_for_library
from covel_host.models.slots import DEFAULT_OUTPUT_TOKENS, Slot
from covel_host.models.wire_protocol import WireProtocol
from covel_host.models.wire_settings import UNCHANGED, common_settings, sent_options, set_thinking

_NO_SAMPLING = "anthropic_disallows_sampling_settings"

_PROFILE: dict[str, Any] = {
    **UNCHANGED,
    # Late system messages are ours to place, alike for every model.
    "supports_inline_system_prompts": False,
}


def _model(slot: Slot, http: DefaultAsyncHttpxClient) -> AnthropicModel:
    client = AsyncAnthropic(
        api_key=key_for_library(slot),
        # The library adds the version to the path, and addresses are written with it and without.
        base_url=slot.base_url.value.removesuffix("/v1"),
        max_retries=0,
        http_client=http,
        timeout=Timeout(None, connect=http.timeout.connect),
    )
    return AnthropicModel(
        slot.model.value,
        provider=AnthropicProvider(anthropic_client=client),
        profile=cast(Any, _PROFILE),
    )


def _settings(request: ModelRequest, slot: Slot) -> AnthropicModelSettings:
    # Three marks; the history of a session gets the fourth, the most the provider takes.
    settings = AnthropicModelSettings(
        anthropic_cache_tool_definitions=True,
        anthropic_cache_instructions=True,
        anthropic_cache_messages=True,
    )
    common_settings(request, slot, settings)
    # The format has no request without a limit.
    settings.setdefault("max_tokens", request.max_output_tokens or DEFAULT_OUTPUT_TOKENS)
    if (anthropic_model_profile(slot.model.value) or {}).get(_NO_SAMPLING):
        settings.pop("temperature", None)
    set_thinking(request, slot, settings)
    if body := sent_options(slot):
        settings["extra_body"] = body
    return settings


MESSAGES = WireProtocol(
    open_model=_model,
    settings=_settings,
    finish_reasons={
        "end_turn": "stop",
        "stop_sequence": "stop",
        "max_tokens": "length",
        "model_context_window_exceeded": "length",
        "tool_use": "tool_calls",
    },
    end_marks=frozenset({"message_stop"}),
    late_system_as_user=True,
    has_cache_marks=True,
    refusal_reasons=frozenset({"refusal"}),
)
