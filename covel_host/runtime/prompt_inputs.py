"""The facts a prompt is made of and the parts that come out (spec/execution.md 5.2)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from covel_host.models.messages import Message
from covel_host.runtime.completion_settings import CompletionSettings
from plugin_sdk.values import JsonValue

SegmentRole: TypeAlias = Literal["system", "user", "assistant"]
SegmentPlace: TypeAlias = Literal["system", "pre-history", "post-history"]
Volatility: TypeAlias = Literal["stable", "session", "turn"]
LorePlace: TypeAlias = Literal["before_plugin", "after_plugin"]
OwnDataFormat: TypeAlias = Literal["summary", "full", "ids-only"]
MessageOrigin: TypeAlias = Literal[
    "segment",
    "lore",
    "summary-envelope",
    "summary",
    "history",
    "turn-context",
    "input",
    "story",
    "note",
    "transcript",
]
"""Where a message comes from; trimming touches `history`, `summary` and tool results of
`transcript` (the exchange of this run itself) and nothing else."""


@dataclass(frozen=True, slots=True)
class Depth:
    """A place counted from the end: so many messages of the conversation follow it."""

    messages: int


@dataclass(frozen=True, slots=True)
class ContractAudience:
    """The runtimes that publish this output contract."""

    contract: str


Audience: TypeAlias = Literal["all", "story", "self"] | ContractAudience


@dataclass(frozen=True, slots=True)
class PromptSegment:
    """One text of `prompt.segment@1`, static or provided by code (spec/manifest.md 4.13, 10.6)."""

    provider_plugin_id: str
    segment_id: str
    content: str
    position: SegmentPlace | Depth = "system"
    role: SegmentRole = "system"
    audience: Audience = "all"
    volatility: Volatility = "session"
    order: float = 0


@dataclass(frozen=True, slots=True)
class LoreEntry:
    """One lorebook entry (spec/world.md 4); without `is_constant` its `keys` switch it on.

    `is_of_world` tells entries that the world owns from those of players and packages.
    """

    entry_id: str
    content: str
    keys: tuple[str, ...] = ()
    is_constant: bool = True
    position: LorePlace | Depth = "after_plugin"
    insertion_order: float = 0
    is_enabled: bool = True
    is_of_world: bool = False


@dataclass(frozen=True, slots=True)
class EventTopic:
    """One topic the runtime may emit; `payload_schema` is `None` when it could not be read."""

    topic: str
    description: str
    payload_schema: dict[str, JsonValue] | None = None


@dataclass(frozen=True, slots=True)
class OwnRow:
    """One row of own plugin data; `created` and `updated` order the rows: later is greater."""

    key: str
    value: JsonValue
    created: float
    updated: float


@dataclass(frozen=True, slots=True)
class OwnData:
    """One entry of `io.selfData` with the rows of its namespace, in any order."""

    namespace: str
    tag: str
    rows: tuple[OwnRow, ...] = ()
    format: OwnDataFormat = "summary"
    max_entries: int = 50


@dataclass(frozen=True, slots=True)
class BoundValue:
    """A value another runtime produced; `source` is that runtime's ID."""

    value: JsonValue
    source: str


@dataclass(frozen=True, slots=True)
class InputBinding:
    """What an input slot holds: one value, or with `is_list` all of them in runtime order."""

    values: tuple[BoundValue, ...]
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class StageActivation:
    """The scheduler runs the runtime at its stage."""

    stage: str


@dataclass(frozen=True, slots=True)
class ManualActivation:
    """A person or a tool started the runtime; `payload` is what it was given."""

    payload: JsonValue


@dataclass(frozen=True, slots=True)
class EventActivation:
    """An event of this execution started the runtime."""

    topic: str
    data: JsonValue


Activation: TypeAlias = StageActivation | ManualActivation | EventActivation


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One stored message; `is_structured` marks the data output of `plugin_id`'s runtime."""

    turn_id: str
    message: Message
    plugin_id: str | None = None
    is_structured: bool = False


@dataclass(frozen=True, slots=True)
class PromptRuntime:
    """Who the prompt is for; `contract` is its output contract, if any."""

    plugin_id: str
    runtime_id: str
    contract: str | None = None


@dataclass(frozen=True, slots=True)
class PromptInputs:
    """Everything one agent's request is put together from.

    `content_locale` is the language the model writes in; the instruction language is
    `completion.locale`, and `body` is already the variant of that language. `variables` are the
    roots of template variables. `history_max_turns` is `None` for the shared, whole history.
    `player_message` is `None` where nobody spoke; `stories` are the texts that earlier stages of
    this execution wrote.
    """

    runtime: PromptRuntime
    completion: CompletionSettings
    content_locale: str
    body: str
    activation: Activation
    output_schema: dict[str, JsonValue] | None = None
    variables: Mapping[str, JsonValue] = field(default_factory=dict)
    segments: tuple[PromptSegment, ...] = ()
    lore: tuple[LoreEntry, ...] = ()
    events: tuple[EventTopic, ...] = ()
    own_data: tuple[OwnData, ...] = ()
    bindings: Mapping[str, InputBinding] = field(default_factory=dict)
    exports: Mapping[str, InputBinding] = field(default_factory=dict)
    history: tuple[HistoryRow, ...] = ()
    history_max_turns: int | None = None
    includes_summaries: bool = False
    summaries: tuple[str, ...] = ()
    player_message: str | None = None
    stories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message of the request and where it comes from."""

    message: Message
    origin: MessageOrigin


@dataclass(frozen=True, slots=True)
class Section:
    """A named part of the system prompt or of the turn context."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class PromptParts:
    """A request before the budget: the system prompt, then the messages in order.

    The sections are what the system prompt and the turn context were put together from; a hook may
    have changed the texts since.
    """

    system: str
    messages: tuple[PromptMessage, ...]
    system_sections: tuple[Section, ...] = ()
    context_sections: tuple[Section, ...] = ()
