"""What the served extension points ask and get (spec/manifest.md 10.6)."""

from typing import Literal

from pydantic import ConfigDict, Field, JsonValue

from plugin_sdk.wire import WireModel


class PromptQuery(WireModel):
    """`prompt.segment@1` asks for segments of one turn."""

    turn_id: str
    player_message: str


class ContractAudience(WireModel):
    """Runtimes that fulfil a contract."""

    contract: str


class PromptSegment(WireModel):
    """One piece of prompt; within one volatility sorted by `order`, then provider, then ID."""

    id: str = Field(min_length=1)
    content: str
    position: str
    role: Literal["system", "user", "assistant"] | None = None
    audience: Literal["all", "story", "self"] | ContractAudience = "all"
    volatility: Literal["stable", "session", "turn"] = "turn"
    order: int = 0


class HistoryMessage(WireModel):
    """One message of the history; members the transform does not know are kept."""

    model_config = ConfigDict(extra="allow")

    role: str
    content: JsonValue


class HistoryQuery(WireModel):
    """`prompt.history-transform@1` hands the history from one provider to the next."""

    turn_id: str
    messages: list[HistoryMessage]


class HistoryTransform(WireModel):
    """The history after one provider."""

    messages: list[HistoryMessage]


class SummaryBudget(WireModel):
    """The most a compaction may write, in tokens and segments."""

    max_tokens: int
    max_segment_tokens: int
    max_segments: int


class CompactionMessage(WireModel):
    """One message or summary to compact; further members are kept."""

    model_config = ConfigDict(extra="allow")

    id: str
    role: str
    content: str


class ExistingSummary(WireModel):
    """One summary of an earlier compaction."""

    model_config = ConfigDict(extra="allow")

    id: str
    content: str


class CompactionQuery(WireModel):
    """`history.compact@2` asks for summaries when the history grows too long."""

    messages: list[CompactionMessage]
    existing_summaries: list[ExistingSummary]
    locale: str
    estimated_tokens: int
    context_window: int
    input_window: int
    summary_budget: SummaryBudget


class SummarySegment(WireModel):
    """One summary; it covers the first messages or the oldest summaries without a gap."""

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
