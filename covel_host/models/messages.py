"""What goes to a model and what comes back, free of any provider's wire format.

The raw text of a call's arguments is kept as the model wrote it; repairing it is the tools' work
(seed: 模型写错的参数 JSON).
"""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from covel_host.models.errors import TriedSlot
from plugin_sdk.values import JsonValue

FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "error", "other"]
"""Why a reply ended, in the same words for every provider (spec/models.md 4.6)."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One tool call of a reply; `arguments` is the text the model wrote, valid JSON or not."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class SystemMessage:
    """Instructions and context of the framework, at any place of the conversation."""

    text: str


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the player or the task says."""

    text: str


@dataclass(frozen=True, slots=True)
class Continuation:
    """What a provider wants to see again of a reply of its own: signed or sealed reasoning.

    `parts` are JSON; they go back to the same protocol, model and address only (spec/models.md 6).
    """

    protocol: str
    model: str
    address: str
    parts: JsonValue


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """An earlier reply of the model; `continuation` is that of the reply."""

    text: str
    calls: tuple[ModelCall, ...] = ()
    continuation: Continuation | None = None


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The answer to one call of an earlier reply."""

    call_id: str
    tool_name: str
    text: str


Message: TypeAlias = SystemMessage | UserMessage | AssistantMessage | ToolMessage


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it: name, description and JSON Schema of the arguments, no more."""

    name: str
    description: str
    input_schema: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class NamedTool:
    """A tool choice that forces one tool."""

    name: str


ToolChoice: TypeAlias = Literal["auto", "required"] | NamedTool


@dataclass(frozen=True, slots=True)
class CompletionHint:
    """What ends the run this request belongs to; only the offline model reads it.

    Attributes:
        own_tools: tools the package declared for itself, in declared order; `None` means every
            offered tool that is not a framework tool.
        after_tools: tools of which one success ends the run.
        output_schema: the schema a final text reply must satisfy as JSON.
    """

    own_tools: tuple[str, ...] | None = None
    after_tools: tuple[str, ...] = ()
    output_schema: dict[str, JsonValue] | None = None


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One logical call to a model.

    Attributes:
        messages: the conversation, oldest first, at least one.
        tool_choice: a wish, not a promise: a named tool that is not offered counts as "auto", and a
            provider may not be able to force a call.
        max_output_tokens: limit for this reply; without it the slot's own limit holds.
        temperature: how freely the model chooses its words; without it the provider's own default.
        stream: whether the reply is asked for as a stream.
        cache_key: see `prompt_cache_key`.
        response_schema: the JSON Schema that the reply's text is asked to satisfy as JSON; the text
            stays text, and nothing here checks it (spec/models.md 8).
        reasoning_effort: the task's own wish; a slot's setting comes before it. A model that cannot
            switch reasoning off uses its lowest level (spec/models.md 6).
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: ToolChoice = "auto"
    max_output_tokens: int | None = None
    temperature: float | None = None
    stream: bool = True
    completion: CompletionHint | None = None
    cache_key: str | None = None
    response_schema: dict[str, JsonValue] | None = None
    reasoning_effort: Literal["disabled"] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply as the provider counts them; 0 where it says nothing.

    `input_tokens` includes both cache parts, `output_tokens` includes reasoning (spec/models.md
    11).
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What a reply costs by the slot's own prices; an estimate for people, never sent anywhere.

    `is_complete` is false when some of its tokens have no price.
    """

    amount: float
    currency: str
    is_complete: bool

    def to_json(self) -> dict[str, JsonValue]:
        """The estimate for a trace."""
        return {
            "amount": self.amount,
            "currency": self.currency,
            "isComplete": self.is_complete,
        }


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A complete reply.

    Attributes:
        reasoning: the model's visible reasoning, never part of `text`.
        raw_finish_reason: the provider's own word, `None` when it sent none.
        provider, model: what really answered, as far as the provider says.
        slot: the slot that was asked, `None` for the offline and the scripted model.
        http_requests: requests sent for this reply, retries included.
        queued_ms: how long the call waited for its turn among the calls at once.
        continuation: what the provider wants to see again with this reply.
        tried: the slots that failed or were passed over before this reply came.
        cost: an estimate by the slot's `pricing`, `None` where it has none.
    """

    text: str
    calls: tuple[ModelCall, ...] = ()
    finish_reason: FinishReason = "stop"
    raw_finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    reasoning: str = ""
    provider: str = ""
    model: str = ""
    slot: str | None = None
    http_requests: int = 1
    queued_ms: int = 0
    continuation: Continuation | None = None
    tried: tuple[TriedSlot, ...] = ()
    cost: CostEstimate | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """The next piece of the reply's reasoning."""

    text: str


Delta: TypeAlias = TextDelta | ReasoningDelta
DeltaSink: TypeAlias = Callable[[Delta], Awaitable[None]]


def prompt_cache_key(session_id: str, runtime_id: str) -> str:
    """The key that lets a provider find the cached prompt prefix of one runtime in one session.

    The same on every turn, and it tells the provider neither ID (spec/models.md 7).
    """
    digest = hashlib.sha256(f"{session_id}\n{runtime_id}".encode()).hexdigest()
    return f"covel-{digest[:32]}"
