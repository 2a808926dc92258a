"""Proposals: requests to write, one model per type, checked at staging and again at commit.

Tools and runtimes never write; they hand in proposals (seed: Proposal 类型).
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import date, datetime
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import ConfigDict, Field, ValidationError
from pydantic_core import from_json

from plugin_sdk._problems import field_problems
from plugin_sdk._stored_json import FROM_JSON_TEXT, StoredJson, StoredObject
from plugin_sdk.errors import FieldProblem, problems_message
from plugin_sdk.interactions import Interaction
from plugin_sdk.values import JsonValue
from plugin_sdk.wire import MediaRef, UiPart, UiPartStatus, WireModel

ProposalType: TypeAlias = Literal[
    "narrative.append",
    "event.emit",
    "interaction.request",
    "ui.render",
    "asset.generate",
    "plugin.data",
    "plugin.data.batch",
    "plugin.data.delete",
    "plugin.data.update",
    "character.upsert",
    "character.schema.set",
    "dimension.initialize",
    "dimension.update",
    "lorebook.upsert",
]


class ProposalInvalid(ValueError):
    """A proposal that cannot be committed; `problems` names each field that is wrong."""

    code: ClassVar[str] = "proposal-invalid"

    def __init__(self, proposal_type: object, problems: tuple[FieldProblem, ...]) -> None:
        super().__init__(f"{proposal_type}: {problems_message(problems)}")
        self.proposal_type = proposal_type
        self.problems = problems


Name: TypeAlias = Annotated[str, Field(min_length=1)]
LocaleText: TypeAlias = str | dict[str, str]


class Proposal(WireModel):
    """One request to write; `type` says what, the fields are its payload."""

    type: ClassVar[ProposalType]

    def payload(self) -> dict[str, JsonValue]:
        """The payload as JSON, camelCase, without the optional members that were not given.

        It shares its values with the proposal, which is frozen: read it, never change it.
        """
        return self.members()


class NarrativeSegment(WireModel):
    """One piece of narration, speech or action."""

    text: str
    speaker: str | None = None
    kind: Literal["narration", "dialogue", "action"] = "narration"


class NarrativeAppend(Proposal):
    """Adds story text to the conversation; `segments` is the same text in pieces."""

    type: ClassVar[ProposalType] = "narrative.append"
    content: Name
    segments: list[NarrativeSegment] | None = None


class EventEmit(Proposal):
    """Emits one domain event; it becomes `event.emitted`."""

    type: ClassVar[ProposalType] = "event.emit"
    topic: Name
    data: StoredObject = Field(default_factory=dict)


class InteractionRequest(Proposal):
    """Asks the player for an answer (seed: 交互协议)."""

    type: ClassVar[ProposalType] = "interaction.request"
    interaction: Interaction


class UiRender(Proposal):
    """Puts a block of interface parts into the conversation (seed: ui.render)."""

    type: ClassVar[ProposalType] = "ui.render"
    parts: list[UiPart] = Field(min_length=1)
    layout: Literal["stream", "split", "overlay"] | None = None
    status: UiPartStatus | None = None


class AssetGenerate(Proposal):
    """Records a generated asset; with modality `image` it also enters the image history."""

    type: ClassVar[ProposalType] = "asset.generate"
    ref: MediaRef
    modality: Name
    meta: StoredObject | None = None


class PluginData(Proposal):
    """Writes one record of the proposing plugin."""

    type: ClassVar[ProposalType] = "plugin.data"
    namespace: Name
    key: Name
    value: StoredJson


class PluginDataItem(WireModel):
    """One record of a batch."""

    namespace: Name
    key: Name
    value: StoredJson


class PluginDataBatch(Proposal):
    """Writes several records of the proposing plugin, all or none."""

    type: ClassVar[ProposalType] = "plugin.data.batch"
    items: list[PluginDataItem] = Field(min_length=1)


class PluginDataDelete(Proposal):
    """Removes one record of the proposing plugin."""

    type: ClassVar[ProposalType] = "plugin.data.delete"
    namespace: Name
    key: Name


class PluginDataUpdate(Proposal):
    """Changes one record by operations, applied in order at commit (spec/decisions.md 2).

    What an operation may hold is decided by `apply_data_ops`, so that a wrong one is reported with
    its index.
    """

    type: ClassVar[ProposalType] = "plugin.data.update"
    namespace: Name
    key: Name
    ops: list[StoredObject] = Field(min_length=1)


class CharacterUpsert(Proposal):
    """Writes a character of the session (seed: character.upsert).

    With `expected_version` the fields are merged into the current record and its version goes up;
    without it the record is replaced. `fields` given as None clears all attributes.
    """

    type: ClassVar[ProposalType] = "character.upsert"
    id: Name
    name: Name
    character_type: str | None = Field(
        default=None, validation_alias="type", serialization_alias="type"
    )
    description: str | None = None
    aliases: list[str] | None = None
    remove_aliases: list[str] | None = None
    fields: StoredJson = None
    version: int | None = None
    expected_version: int | None = None
    created_at: str | None = None


class AttributeDefinition(WireModel):
    """One attribute of the character schema; further members are kept."""

    model_config = ConfigDict(extra="allow")

    id: Name
    name: LocaleText
    type: Literal["string", "number", "array", "enum", "boolean", "object", "map"]
    category: str | None = None
    min: int | float | None = None
    max: int | float | None = None
    default_value: StoredJson = None
    item_type: str | None = None
    options: list[str] | None = None
    sub_schema: "list[AttributeDefinition] | None" = None
    value_type: str | None = None
    description: LocaleText | None = None


class CharacterSchemaSet(Proposal):
    """Replaces the session's character schema; the kernel numbers it."""

    type: ClassVar[ProposalType] = "character.schema.set"
    types: list[str]
    attributes: list[AttributeDefinition]


class DimensionInitialize(Proposal):
    """Creates world dimensions that do not exist yet; from the session's provider only."""

    type: ClassVar[ProposalType] = "dimension.initialize"
    definitions: dict[str, StoredObject]


class DimensionChange(WireModel):
    """The complete new value of one dimension and the version it was made from."""

    id: Name
    expected_version: int
    value: StoredJson
    reason: str | None = None


class DimensionSource(WireModel):
    """The narrative that values were worked out from, as the host named and numbered it."""

    result_id: Name
    turn_number: int


class DimensionSettlement(WireModel):
    """What becomes of the narrative's debt; `no-change` was evaluated and changed nothing."""

    status: Literal["settled", "no-change", "manual", "skipped"]


class DimensionUpdate(Proposal):
    """Sets dimension values as one batch; one stale version refuses all.

    `read_versions` are those that were evaluated without being changed. A `settlement` needs a
    `source`, and a narrative is settled once.
    """

    type: ClassVar[ProposalType] = "dimension.update"
    updates: list[DimensionChange]
    source: DimensionSource | None = None
    read_versions: dict[str, int] | None = None
    settlement: DimensionSettlement | None = None


class LorebookEntry(WireModel):
    """One lorebook entry; its owner is always the proposing plugin."""

    id: Name
    keys: list[str]
    content: str
    strategy: Literal["constant", "selective"]
    position: str | int | None = None
    insertion_order: int | float | None = None
    enabled: bool | None = None
    extra: StoredJson = None


class LorebookUpsert(Proposal):
    """Writes lorebook entries of the proposing plugin (seed: lorebook.upsert)."""

    type: ClassVar[ProposalType] = "lorebook.upsert"
    entries: list[LorebookEntry]


PROPOSAL_MODELS: Mapping[ProposalType, type[Proposal]] = MappingProxyType(
    {
        model.type: model
        for model in (
            NarrativeAppend,
            EventEmit,
            InteractionRequest,
            UiRender,
            AssetGenerate,
            PluginData,
            PluginDataBatch,
            PluginDataDelete,
            PluginDataUpdate,
            CharacterUpsert,
            CharacterSchemaSet,
            DimensionInitialize,
            DimensionUpdate,
            LorebookUpsert,
        )
    }
)
"""The model of each proposal type."""

PROPOSAL_TYPES: tuple[ProposalType, ...] = tuple(PROPOSAL_MODELS)
"""Every proposal type, in the seed's order."""


def parse_proposal(value: Mapping[str, object]) -> Proposal:
    """The proposal that `{"type", "payload"}` describes, made from the payload's JSON copy.

    Dates become ISO texts. The payload is not kept, nor shared with the result.

    Raises:
        ProposalInvalid: an unknown type, a payload that does not fit its type, or a value that JSON
            cannot store.
    """
    return read_proposal(value)[0]


def read_proposal(value: Mapping[str, object]) -> tuple[Proposal, bytes]:
    """Like `parse_proposal`, with the compact JSON text that the payload was copied through.

    Members of the text stand as they were given, so it may be searched, never taken for the
    payload that the proposal writes out.
    """
    proposal_type = value.get("type")
    model = PROPOSAL_MODELS.get(proposal_type) if isinstance(proposal_type, str) else None  # type: ignore[call-overload]
    if model is None:
        known = ", ".join(PROPOSAL_TYPES)
        raise ProposalInvalid(
            proposal_type,
            (
                FieldProblem(
                    "type", f"{proposal_type!r} is no proposal type. The types are {known}."
                ),
            ),
        )
    copy, text = _json_copy(proposal_type, value.get("payload"))
    try:
        parsed: Proposal = model.model_validate(copy, strict=True, context=FROM_JSON_TEXT)
    except ValidationError as error:
        problems = field_problems(error.errors(include_url=False), json.dumps(copy))
        raise ProposalInvalid(proposal_type, problems) from error
    return parsed, text


def _json_copy(proposal_type: object, payload: object) -> tuple[object, bytes]:
    """The payload written as JSON and read again, and what was written."""
    # Imported by whoever checks proposals; most packages only make them.
    import orjson

    # This writer is quick and lenient: a dataclass becomes an object, NaN becomes null. A copy that
    # is equal to what was given lost nothing; all else is left to the strict and slower writer.
    with suppress(ValueError, TypeError, RecursionError):
        text = orjson.dumps(payload)
        copy: object = from_json(text)
        if copy == payload:
            return copy, text
    try:
        text = json.dumps(
            payload,
            allow_nan=False,
            ensure_ascii=False,
            separators=(",", ":"),
            default=_json_form,
        ).encode("utf-8")
        return from_json(text), text
    except (TypeError, ValueError, RecursionError) as error:
        problem = FieldProblem("", f"The payload cannot be stored as JSON: {error}.")
        raise ProposalInvalid(proposal_type, (problem,)) from error


def _json_form(value: object) -> object:
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if isinstance(value, WireModel):
        return value.members()
    raise TypeError(f"a value of type {type(value).__name__!r} has no JSON form")
