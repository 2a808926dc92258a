"""What the served extension points ask and get (spec/manifest.md 10.6)."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue

from plugin_sdk.wire import WireModel


class PromptQuery(WireModel):
    """`prompt.segment@1` asks for segments of one turn."""

    turn_id: str
    player_message: str


class ContractAudience(WireModel):
    """Runtimes that fulfil a contract."""

    contract: str


class SegmentDepth(WireModel):
    """A place so many messages of the conversation before its end; 0 is the end."""

    depth: Annotated[int, Field(ge=0)]


SegmentPosition: TypeAlias = Literal["system", "pre-history", "post-history"] | SegmentDepth


class PromptSegment(WireModel):
    """One piece of prompt; within one volatility sorted by `order`, then provider, then ID.

    `role` is `system` unless given. `volatility` matters for what belongs to the system prompt:
    `turn` stands behind the history instead, so that the system prompt stays the same.
    """

    id: str = Field(min_length=1)
    content: str
    position: SegmentPosition
    role: Literal["system", "user", "assistant"] | None = None
    audience: Literal["all", "story", "self"] | ContractAudience = "all"
    volatility: Literal["stable", "session", "turn"] = "turn"
    order: int = 0


class HistoryMessage(WireModel):
    """One stored message of the history.

    `kind` is `narrative` for story text; `plugin_id` is the package whose runtime wrote it.
    """

    id: str
    turn_id: str
    role: Literal["user", "assistant", "system", "tool"]
    content: str
    kind: str | None = None
    plugin_id: str | None = None


class HistoryQuery(WireModel):
    """`prompt.history-transform@1` hands the history from one provider to the next."""

    turn_id: str
    messages: list[HistoryMessage]


class HistoryTransform(WireModel):
    """The history after one provider.

    It may change the `content` of messages and leave messages out. Order and all other members
    stay as they were, and no message can be added.
    """

    messages: list[HistoryMessage]


class SummaryBudget(WireModel):
    """The most a compaction may write, in tokens and segments."""

    max_tokens: int
    max_segment_tokens: int
    max_segments: int


class CompactionMessage(WireModel):
    """One message that may be compacted; `tokens` is the host's estimate of what it costs."""

    id: str
    turn_id: str
    role: Literal["user", "assistant", "system", "tool"]
    content: str
    tokens: int


class ExistingSummary(WireModel):
    """One summary of an earlier compaction, oldest first; `tokens` is the host's estimate."""

    id: str
    content: str
    tokens: int
    focus_sections: list[str]


class CompactionQuery(WireModel):
    """`history.compact@2` asks for summaries when the history grows too long.

    `messages` are the oldest ones that no summary covers, without the protected newest ones.
    `estimated_tokens` is the whole request; `context_window` and `input_window` are those of the
    smaller of the story and fast models, in tokens.
    """

    messages: list[CompactionMessage]
    existing_summaries: list[ExistingSummary]
    locale: str
    estimated_tokens: int
    context_window: int
    input_window: int
    summary_budget: SummaryBudget


class SummarySegment(WireModel):
    """One summary; it covers the first messages or the oldest summaries without a gap.

    Exactly one of `message_ids` and `replaces_summary_ids` names anything. `truncated` says that
    the model cut its answer off.
    """

    message_ids: list[str]
    replaces_summary_ids: list[str]
    content: str
    focus_sections: list[str]
    truncated: bool | None = None


class Compaction(WireModel):
    """The answer of a compaction; an extension answers None when there is nothing to compact."""

    summaries: list[SummarySegment]


class DimensionRecovery(WireModel):
    """The runtimes that mend the dimensions of a session."""

    editor_runtime_id: str
    tracker_runtime_id: str


class WorldContextQuery(WireModel):
    """`session.world-context@1` asks without any member."""


class WorldContext(WireModel):
    """What a package adds to the world model; the host fills in who provided it."""

    # `schema` names a pydantic method, so the Python name differs from the member's.
    character_schema: JsonValue = Field(
        default=None, validation_alias="schema", serialization_alias="schema"
    )
    entries: JsonValue = None
    dimensions: JsonValue = None
    dimension_recovery: DimensionRecovery | None = None
