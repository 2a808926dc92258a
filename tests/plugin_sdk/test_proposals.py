"""One model per proposal type, and payloads as they are stored."""

import dataclasses
import datetime
import decimal
import enum
import json
import uuid
from typing import Any, get_args

import pytest

from plugin_sdk import (
    PROPOSAL_TYPES,
    AttributeDefinition,
    CharacterSchemaSet,
    CharacterUpsert,
    FormField,
    FormInteraction,
    InteractionRequest,
    MediaRef,
    PluginData,
    Proposal,
    ProposalInvalid,
    ProposalType,
    UiPart,
    UiRender,
    UiRetry,
    parse_proposal,
)
from plugin_sdk.proposals import PROPOSAL_MODELS, read_proposal

REF = {"id": "a" * 64, "mime": "image/png", "size": 3}

PAYLOADS: dict[str, dict[str, Any]] = {
    "narrative.append": {
        "content": "Rain.",
        "segments": [{"text": "Rain.", "kind": "narration"}],
    },
    "event.emit": {"topic": "check.resolved", "data": {"dc": 12}},
    "interaction.request": {
        "interaction": {
            "type": "choice",
            "interactionId": "c",
            "prompt": "Where to?",
            "choices": [{"id": "a", "label": "In"}, {"id": "b", "label": "Out"}],
            "narrativeTemplate": "You choose {{selectedLabel}}.",
        }
    },
    "ui.render": {
        "parts": [{"id": "p", "type": "text", "status": "success", "content": {"a": 1}}],
        "layout": "stream",
    },
    "asset.generate": {"ref": REF, "modality": "image", "meta": {"kind": "illustration"}},
    "plugin.data": {"namespace": "notes", "key": "a", "value": None},
    "plugin.data.batch": {"items": [{"namespace": "notes", "key": "a", "value": [1]}]},
    "plugin.data.delete": {"namespace": "notes", "key": "a"},
    "plugin.data.update": {"namespace": "notes", "key": "a", "ops": [{"op": "delete"}]},
    "character.upsert": {
        "id": "npc-mira",
        "name": "Mira",
        "type": "npc",
        "aliases": ["the keeper"],
        "fields": {"hp": 3},
        "expectedVersion": 2,
        "createdAt": "2031-05-09T00:00:00Z",
    },
    "character.schema.set": {
        "types": ["npc"],
        "attributes": [
            {"id": "hp", "name": {"en": "HP"}, "type": "number", "min": 0, "defaultValue": 10}
        ],
    },
    "dimension.initialize": {"definitions": {"tide": {"name": "Tide", "initialValue": 0}}},
    "dimension.update": {
        "updates": [{"id": "tide", "expectedVersion": 1, "value": 2, "reason": "Moon"}],
        "readVersions": {"tide": 1},
        "source": {"resultId": "result-1", "turnNumber": 4},
        "settlement": {"status": "settled"},
    },
    "lorebook.upsert": {
        "entries": [
            {
                "id": "a",
                "keys": ["gate"],
                "content": "Old.",
                "strategy": "selective",
                "insertionOrder": 5,
                "enabled": False,
            }
        ]
    },
}


def test_types_models_and_the_type_alias_agree() -> None:
    assert PROPOSAL_TYPES == get_args(ProposalType)
    assert tuple(PROPOSAL_MODELS) == PROPOSAL_TYPES
    assert set(PAYLOADS) == set(PROPOSAL_TYPES)
    concrete = {
        model for model in Proposal.__subclasses__() if model.__module__ == Proposal.__module__
    }
    assert set(PROPOSAL_MODELS.values()) == concrete


@pytest.mark.parametrize("proposal_type", PAYLOADS)
def test_a_payload_comes_out_as_it_went_in(proposal_type: str) -> None:
    payload = PAYLOADS[proposal_type]
    proposal = parse_proposal({"type": proposal_type, "payload": payload})
    assert type(proposal) is PROPOSAL_MODELS[proposal_type]  # type: ignore[index]
    assert proposal.type == proposal_type
    assert proposal.payload() == payload
    assert parse_proposal({"type": proposal.type, "payload": proposal.payload()}) == proposal


@pytest.mark.parametrize("proposal_type", PAYLOADS)
def test_members_no_type_knows_are_refused(proposal_type: str) -> None:
    payload = {**PAYLOADS[proposal_type], "unknownMember": 1}
    with pytest.raises(ProposalInvalid) as caught:
        parse_proposal({"type": proposal_type, "payload": payload})
    assert [problem.path for problem in caught.value.problems] == ["unknownMember"]


def test_models_take_python_names() -> None:
    character = CharacterUpsert(
        id="npc-mira", name="Mira", character_type="npc", fields=None, expected_version=3
    )
    assert character.type == "character.upsert"
    assert character.payload() == {
        "id": "npc-mira",
        "name": "Mira",
        "type": "npc",
        "fields": None,
        "expectedVersion": 3,
    }
    assert "fields" not in CharacterUpsert(id="a", name="b").payload()


def test_nested_models_are_written_without_absent_members() -> None:
    form = FormInteraction(
        interaction_id="f",
        title="Name",
        fields=[FormField(type="number", name="age", label="Age", default_value=0)],
        submit_label="Go",
        narrative_template="{{age}}",
    )
    assert InteractionRequest(interaction=form).payload() == {
        "interaction": {
            "type": "form",
            "interactionId": "f",
            "title": "Name",
            "fields": [{"type": "number", "name": "age", "label": "Age", "defaultValue": 0}],
            "submitLabel": "Go",
            "narrativeTemplate": "{{age}}",
        }
    }
    part = UiPart(id="a", type="image", status="error", content=None, retry=UiRetry(count=1))
    assert UiRender(parts=[part]).payload() == {
        "parts": [
            {"id": "a", "type": "image", "status": "error", "content": None, "retry": {"count": 1}}
        ]
    }


def test_further_members_of_attributes_are_kept() -> None:
    attribute = AttributeDefinition.model_validate(
        {"id": "hp", "name": "HP", "type": "number", "x-a": 1}
    )
    payload = CharacterSchemaSet(types=[], attributes=[attribute]).payload()
    assert payload["attributes"] == [{"id": "hp", "name": "HP", "type": "number", "x-a": 1}]


def test_dates_become_texts() -> None:
    value = {
        "at": datetime.datetime(2031, 5, 9, tzinfo=datetime.UTC),
        "on": datetime.date(2031, 5, 9),
    }
    proposal = parse_proposal(
        {"type": "plugin.data", "payload": {"namespace": "n", "key": "k", "value": value}}
    )
    assert proposal.payload()["value"] == {"at": "2031-05-09T00:00:00+00:00", "on": "2031-05-09"}


def test_models_inside_a_payload_become_json() -> None:
    proposal = parse_proposal(
        {
            "type": "asset.generate",
            "payload": {"ref": MediaRef.model_validate(REF), "modality": "image"},
        }
    )
    assert proposal.payload() == {"ref": REF, "modality": "image"}


def test_a_payload_written_as_json_text_is_the_same() -> None:
    for proposal_type, payload in PAYLOADS.items():
        proposal = parse_proposal({"type": proposal_type, "payload": payload})
        assert proposal.model_dump(mode="json", by_alias=True) == proposal.payload()


@pytest.mark.parametrize(
    "value",
    [
        {"tuple": (1, (2,)), "big": 2**80, "negative": -0.0, "text": "\u2028\U0001f30a"},
        {"deep": {"list": [None, True, 1, 1.5, "a"]}},
        [],
        "",
        None,
    ],
)
def test_a_value_is_copied_as_json(value: Any) -> None:
    payload = {"namespace": "n", "key": "k", "value": value}
    proposal = parse_proposal({"type": "plugin.data", "payload": payload})
    copy = proposal.payload()["value"]
    assert json.dumps(copy) == json.dumps(value)
    assert copy is not value or not isinstance(value, (dict, list))


@pytest.mark.parametrize("value", [True, 1, 1.0, "1", None])
def test_a_value_keeps_its_kind(value: Any) -> None:
    payload = {"namespace": "n", "key": "k", "value": [value]}
    [copy] = parse_proposal({"type": "plugin.data", "payload": payload}).payload()["value"]  # type: ignore[misc]
    assert type(copy) is type(value)


def test_the_payload_is_not_shared() -> None:
    value: dict[str, Any] = {"rows": [1]}
    proposal = PluginData(namespace="n", key="k", value=value)
    value["rows"].append(2)
    assert proposal.payload()["value"] == {"rows": [1]}


@dataclasses.dataclass
class _Point:
    x: int


class _Plain(enum.Enum):
    ONE = "one"


def _circle() -> list[Any]:
    ring: list[Any] = []
    ring.append(ring)
    return ring


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {1, 2},
        float("nan"),
        float("inf"),
        _circle(),
        b"x",
        {"a": print},
        [uuid.UUID(int=7)],
        decimal.Decimal(1),
        _Point(1),
        _Plain.ONE,
        {"text": "lone \ud800"},
    ],
)
def test_values_json_cannot_store_are_refused(value: object) -> None:
    payload = {"namespace": "n", "key": "k", "value": value}
    with pytest.raises(ProposalInvalid, match="cannot be stored as JSON"):
        parse_proposal({"type": "plugin.data", "payload": payload})


@pytest.mark.parametrize("value", [{"mime": "a/b"}, {"mime": (2**80, "灯")}])
def test_a_proposal_is_read_with_the_text_of_its_payload(value: Any) -> None:
    payload = {"namespace": "n", "key": "k", "value": value}
    proposal, text = read_proposal({"type": "plugin.data", "payload": payload})
    assert json.loads(text) == proposal.payload()
    assert b'"mime":' in text


def test_numbers_that_are_not_finite_are_refused_in_models_too() -> None:
    with pytest.raises(ValueError, match="not a JSON number"):
        PluginData(namespace="n", key="k", value={"a": [float("nan")]})


@pytest.mark.parametrize(
    ("proposal", "path", "message"),
    [
        ({"type": "state.patch", "payload": {}}, "type", "'state.patch' is no proposal type"),
        ({"payload": {}}, "type", "None is no proposal type"),
        ({"type": ["a"], "payload": {}}, "type", "is no proposal type"),
        ({"type": "plugin.data"}, "", "Expected an object, got null."),
        ({"type": "event.emit", "payload": {"topic": ""}}, "topic", "at least 1 character"),
        (
            {"type": "plugin.data.batch", "payload": {"items": []}},
            "items",
            "At least 1 item must be given",
        ),
        (
            {
                "type": "character.upsert",
                "payload": {"id": "a", "name": "b", "expectedVersion": "1"},
            },
            "expectedVersion",
            "Expected a whole number",
        ),
        (
            {"type": "ui.render", "payload": {"parts": [{"id": "a"}]}},
            "parts.0.type",
            "This field is required.",
        ),
        (
            {"type": "interaction.request", "payload": {"interaction": {"type": "poll"}}},
            "interaction",
            "expected one of",
        ),
        (
            {"type": "asset.generate", "payload": {"ref": {**REF, "id": "x"}, "modality": "image"}},
            "ref.id",
            "The text must match",
        ),
    ],
)
def test_wrong_proposals_are_refused_with_place_and_reason(
    proposal: dict[str, Any], path: str, message: str
) -> None:
    with pytest.raises(ProposalInvalid) as caught:
        parse_proposal(proposal)
    assert caught.value.code == "proposal-invalid"
    first = caught.value.problems[0]
    assert first.path == path
    assert message in first.message
    assert message in str(caught.value)


def test_proposals_cannot_be_changed() -> None:
    proposal = PluginData(namespace="n", key="k", value=1)
    with pytest.raises(ValueError, match="frozen"):
        proposal.key = "other"  # type: ignore[misc]
