"""What differs between the request formats, one definition each; found by the name of a protocol.

The library of a protocol is imported when its definition is asked for.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from openai import DefaultAsyncHttpxClient
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from covel_host.models.messages import FinishReason, ModelRequest
from covel_host.models.providers import Protocol, missing_extra
from covel_host.models.slots import Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class WireProtocol:
    """One request format.

    Attributes:
        open_model: the library's model for a slot, on the HTTP client given.
        settings: the settings of one request beside messages, tools and schema.
        finish_reasons: the provider's words for the end of a reply; others read as "other".
        end_marks: types of the event that ends a stream; where it is empty a finish reason does.
        always_says_why: a reply without a finish reason is none, streamed or not.
        late_system_as_user: system messages inside the conversation go out as tagged user text.
        has_cache_marks: the end of the history is marked for the provider's prompt cache.
        sends_schema: the format has a place for the schema of a reply; else it is told in words.
        malformed_reasons: ends that mean a call nobody can read; it may go better next time.
        refusal_reasons: ends that are refusals.
    """

    open_model: Callable[[Slot, DefaultAsyncHttpxClient], Model[Any]]
    settings: Callable[[ModelRequest, Slot], ModelSettings]
    finish_reasons: Mapping[str, FinishReason]
    end_marks: frozenset[str] = frozenset()
    always_says_why: bool = False
    late_system_as_user: bool = False
    has_cache_marks: bool = False
    sends_schema: bool = False
    malformed_reasons: frozenset[str] = frozenset()
    refusal_reasons: frozenset[str] = frozenset()


_DEFINITIONS: Mapping[Protocol, tuple[str, str]] = {
    "openai-chat-v1": ("wire_openai", "CHAT"),
    "openai-responses-v1": ("wire_openai", "RESPONSES"),
    "anthropic-messages-v1": ("wire_anthropic", "MESSAGES"),
    "google-generative-ai-v1": ("wire_google", "GENERATE"),
}


def wire_protocol(slot: Slot) -> WireProtocol:
    """The definition of the format that `slot` speaks.

    Raises:
        ModelError: `config-error` when the extra with its library is not installed; it names the
            command that installs it.
    """
    problem = missing_extra(slot.protocol.value, slot_name=slot.name)
    if problem is not None:
        raise problem
    module, name = _DEFINITIONS[slot.protocol.value]
    return cast(WireProtocol, getattr(importlib.import_module(f"covel_host.models.{module}"), name))
