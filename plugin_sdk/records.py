"""Plain facts that reads give: records of a session, replies of services and models."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from plugin_sdk.values import JsonObject, JsonValue

MessageRole: TypeAlias = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class DataItem:
    """One record of plugin data."""

    key: str
    value: JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """The current session, as it was when the execution began."""

    id: str
    world_id: str | None
    phase: Literal["setup", "playing"]
    status: str
    locale: str
    completed_player_turns: int
    active_plugins: tuple[str, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerInput:
    """One accepted answer of a player; `form_id` is the interaction's ID."""

    id: str
    session_id: str
    turn_id: str
    form_id: str
    values: JsonObject
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMessage:
    """One committed message of the session."""

    id: str
    turn_id: str
    role: str
    content: str
    source_type: str
    source_plugin_id: str | None = None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePage:
    """Messages from old to new; `cursor` continues after the last one."""

    messages: tuple[TurnMessage, ...]
    cursor: str | None
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerEvent:
    """The event that started a run."""

    topic: str
    data: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOffer:
    """One provider of a contract that is active now."""

    plugin_id: str
    name: str
    contract: str
    kind: Literal["read", "write"] = "read"
    description: str | None = None


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message for a model."""

    role: MessageRole
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one model call; the input count includes both cache parts (spec/models.md 11)."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReply:
    """A model's text, with the model that wrote it and why it stopped."""

    text: str
    model: str
    finish_reason: str
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectReply:
    """A value a model wrote, checked against the schema that was asked for."""

    value: JsonValue
    model: str
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingReply:
    """One vector per text, in order; all come from `model`."""

    vectors: tuple[tuple[float, ...], ...]
    model: str
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedSlot:
    """Where a model slot leads. `api_key` is a secret: it never belongs in a result or a log."""

    slot: str
    provider: str
    model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlCheck:
    """Whether a base URL may be used, and why not."""

    ok: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """A complete answer of an HTTP server; header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandInvocation:
    """The slash command that led to an action (spec/manifest.md 4.5).

    `command` is the declared name, `command_id` the same behind `<package>/`. `raw` is the line as
    it was typed, `canonical` the same line with the declared name and plain quoting. `argv` holds
    its words, `args` the values by argument.
    """

    command: str
    canonical: str
    raw: str
    argv: tuple[str, ...]
    args: JsonObject
    invocation_id: str
    command_id: str
    source: Literal["composer", "plugin-ui"]
