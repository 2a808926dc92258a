"""What a function runtime and a guard hand back (spec/manifest.md 12.3, 12.5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from plugin_sdk.errors import ToolErrorCode, is_tool_error
from plugin_sdk.interactions import Interaction
from plugin_sdk.proposals import AssetGenerate, PluginData, Proposal, UiRender
from plugin_sdk.values import JsonObject, JsonValue

JobState: TypeAlias = Literal[
    "queued", "running", "progress", "waiting-input", "succeeded", "failed", "cancelled"
]
Completion: TypeAlias = Literal["done", "pending"]


@dataclass(frozen=True, slots=True)
class Event:
    """One domain event; `data` must fit the schema its declarer gives for the topic."""

    topic: str
    data: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Notification:
    """A short message for the player."""

    level: Literal["info", "success", "warning", "error"]
    title: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStatus:
    """One report on a background job; a repeated `sequence` is ignored (spec/execution.md 9.6)."""

    job_id: str
    state: JobState
    sequence: int
    progress: float | None = None
    message: str | None = None
    data: JsonValue = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What a run changes beside its value; nothing in the value itself has an effect.

    A skipped or failed run may only carry `job_status` and `diagnostics`.
    """

    events: Sequence[Event] = ()
    interactions: Sequence[Interaction] = ()
    ui: Sequence[UiRender] = ()
    asset_generations: Sequence[AssetGenerate] = ()
    plugin_data: Sequence[PluginData] = ()
    proposals: Sequence[Proposal] = ()
    notifications: Sequence[Notification] = ()
    job_status: Sequence[JobStatus] = ()
    diagnostics: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Success:
    """The run succeeded. `has_value` tells no value from the value None."""

    outcome: ClassVar[Literal["success"]] = "success"
    value: object = None
    has_value: bool = False
    effects: Effects = Effects()
    completion: Completion = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The run failed; nothing it staged is committed."""

    outcome: ClassVar[Literal["failed"]] = "failed"
    error: str
    code: ToolErrorCode | None = None
    hint: str | None = None
    effects: Effects = Effects()


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """The run had nothing to do."""

    outcome: ClassVar[Literal["skipped"]] = "skipped"
    reason: str
    effects: Effects = Effects()


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspended:
    """The run waits for the player; `resume_schema` is the JSON Schema of the answer."""

    outcome: ClassVar[Literal["suspended"]] = "suspended"
    reason: str
    resume_schema: Mapping[str, JsonValue] | None = None


RuntimeOutcome: TypeAlias = Success | Failed | Skipped | Suspended
"""The result of a function runtime; a bare JSON value means `success(value)`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """A guard's word that its agent need not run; `fields` are the runtime's output."""

    reason: str | None = None
    fields: JsonObject = field(default_factory=dict)


_NO_VALUE = object()
_NO_EFFECTS = Effects()
_NO_REASON = "The handler gave no reason."


def success(
    value: object = _NO_VALUE,
    *,
    effects: Effects | None = None,
    completion: Completion = "done",
) -> Success:
    """A successful run; without `value` it has none, which is not the value None."""
    given = value is not _NO_VALUE
    return Success(
        value=value if given else None,
        has_value=given,
        effects=effects or _NO_EFFECTS,
        completion=completion,
    )


def failed(error: str | Exception, *, effects: Effects | None = None) -> Failed:
    """A failed run with the text of `error`; a `ToolError` keeps its code and hint.

    An exception without a text is named by its class.
    """
    effects = effects or _NO_EFFECTS
    if is_tool_error(error):
        return Failed(error=error.message, code=error.code, hint=error.hint, effects=effects)
    unnamed = type(error).__name__ if isinstance(error, Exception) else _NO_REASON
    return Failed(error=str(error) if str(error).strip() else unnamed, effects=effects)


def skipped(reason: str, *, effects: Effects | None = None) -> Skipped:
    """A run that had nothing to do."""
    return Skipped(reason=reason, effects=effects or _NO_EFFECTS)


def suspended(reason: str, resume_schema: Mapping[str, JsonValue] | None = None) -> Suspended:
    """A run that waits for an answer; `reason` is shown to the player."""
    return Suspended(reason=reason, resume_schema=resume_schema)


def skip(*, reason: str | None = None, **fields: JsonValue) -> Skip:
    """A guard's skip; `fields` become the output, checked against the output contract."""
    return Skip(reason=reason, fields=fields)
