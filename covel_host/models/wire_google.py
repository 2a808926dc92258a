"""Google's Generative Language format (Gemini); needs the extra `google`."""

from typing import Any, cast

from google.genai import Client
from google.genai.types import HttpOptions, HttpRetryOptions
from openai import DefaultAsyncHttpxClient
from pydantic_ai.models.google import GoogleModel, GoogleModelSettings
from pydantic_ai.providers.google import GoogleProvider

from covel_host.models.messages import ModelRequest
from covel_host.models.provider_http import key_for_library
from covel_host.models.slots import Slot
from covel_host.models.wire_protocol import WireProtocol
from covel_host.models.wire_settings import UNCHANGED, common_settings, sent_options, set_thinking


def _model(slot: Slot, http: DefaultAsyncHttpxClient) -> GoogleModel:
    address, _, version = slot.base_url.value.rpartition("/")
    options = HttpOptions(
        # The library puts the version between address and path.
        base_url=address,
        api_version=version,
        httpx_async_client=http,
        retry_options=HttpRetryOptions(attempts=1),
        extra_body=sent_options(slot) or None,
    )
    client = Client(vertexai=False, api_key=key_for_library(slot), http_options=options)
    return GoogleModel(
        slot.model.value, provider=GoogleProvider(client=client), profile=cast(Any, UNCHANGED)
    )


def _settings(request: ModelRequest, slot: Slot) -> GoogleModelSettings:
    settings = GoogleModelSettings()
    common_settings(request, slot, settings)
    set_thinking(request, slot, settings)
    return settings


GENERATE = WireProtocol(
    open_model=_model,
    settings=_settings,
    finish_reasons={
        "STOP": "stop",
        "MAX_TOKENS": "length",
        "SAFETY": "content_filter",
        "RECITATION": "content_filter",
        "BLOCKLIST": "content_filter",
        "PROHIBITED_CONTENT": "content_filter",
        "SPII": "content_filter",
        "IMAGE_SAFETY": "content_filter",
        "MODEL_ARMOR": "content_filter",
        "LANGUAGE": "error",
    },
    always_says_why=True,
    late_system_as_user=True,
    sends_schema=True,
    malformed_reasons=frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"}),
)
