"""Every proposal type is written, read back, told of, and rolled back as a whole."""

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

import covel_host.proposals
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.handlers import HANDLERS
from covel_host.proposals.refusal_codes import REFUSAL_CODES
from covel_host.store.character_schemas import get_character_schema
from covel_host.store.characters import get_character
from covel_host.store.dimension_settlements import get_settlement
from covel_host.store.dimensions import get_dimension
from covel_host.store.events import list_events
from covel_host.store.generated_assets import list_generated_assets
from covel_host.store.interactions import find_interaction
from covel_host.store.lorebook import every_lorebook_entry, get_lorebook_entry
from covel_host.store.messages import list_messages
from covel_host.store.plugin_data import get_data
from covel_host.store.records import LorebookOwner
from covel_host.store.store import Store
from covel_host.store.ui_blocks import list_ui_blocks
from covel_host.trace.event_types import EVENT_TYPES
from plugin_sdk.proposals import PROPOSAL_MODELS, PROPOSAL_TYPES, ProposalType
from tests.proposals.builders import (
    ASSET_ID,
    FINISHED,
    PAYLOADS,
    REF,
    committed,
    contents,
    every_type,
    of_type,
    provided,
    refused,
    staged,
    with_asset,
)
from tests.proposals.faults import commit_with_every_fault
from tests.store.builders import data_key


@pytest.fixture
def full(store: Store) -> Store:
    return with_asset(store)


def written(store: Store) -> Store:
    committed(store, provided(proposals=every_type()))
    return store


def test_types_models_handlers_payloads_and_event_names_agree() -> None:
    assert tuple(HANDLERS) == tuple(PROPOSAL_MODELS) == PROPOSAL_TYPES == get_args(ProposalType)
    assert set(PAYLOADS) == set(PROPOSAL_TYPES)
    names = {name for handler in HANDLERS.values() for name in handler.events}
    assert names <= set(EVENT_TYPES)
    assert not any(EVENT_TYPES[name].is_trace for name in names)


def test_each_type_sends_the_events_it_declares(full: Store) -> None:
    proposals = every_type()
    events = committed(full, provided(proposals=proposals)).events
    declared = [name for proposal in proposals for name in HANDLERS[proposal.type].events]
    # One event for each of two parts and two entries.
    declared.insert(declared.index("ui.part.update"), "ui.part.update")
    declared.append("record.updated")
    assert [event.type for event in events] == declared
    assert {(event.session_id, event.turn_id) for event in events} == {("s1", "t1")}


def test_every_code_that_is_raised_is_in_the_table() -> None:
    raised = set()
    for path in Path(covel_host.proposals.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute | ast.Name)
                and getattr(node.func, "attr", getattr(node.func, "id", ""))
                in ("refusal", "MediaProblem")
                and isinstance(node.args[0], ast.Constant)
            ):
                raised.add(node.args[0].value)
    assert raised
    assert raised <= set(REFUSAL_CODES)


# What is stored, and what clients are told


def told(store: Store, type_name: str, **changes: Any) -> list[dict[str, Any]]:
    proposals = changes.pop("proposals", (of_type(type_name),))
    return [event.payload for event in committed(store, provided(proposals=proposals)).events]


OWN = {"runtimeId": "echo-demo", "pluginId": "echo-demo"}


def test_an_event_is_kept_and_told(full: Store) -> None:
    assert told(full, "event.emit") == [
        {"topic": "check.resolved", "data": {"dc": 12}, "pluginId": "echo-demo"}
    ]
    [event] = full.read_now(lambda reading: list_events(reading, "s1"))
    assert (event.topic, event.data, event.source.revision) == ("check.resolved", {"dc": 12}, 1)
    assert (event.source.plugin_id, event.source.proposal_id) == ("echo-demo", "proposal-1")


def test_a_question_is_kept_where_its_answer_finds_it(full: Store) -> None:
    interaction = PAYLOADS["interaction.request"]["interaction"]
    assert told(full, "interaction.request") == [
        {
            "block": {
                "id": "sheet",
                "type": "form",
                "data": interaction,
                "meta": {"proposalId": "proposal-1"},
            },
            **OWN,
            "turnId": "t1",
        }
    ]
    found = full.read_now(lambda reading: find_interaction(reading, "s1", "t1", "sheet"))
    assert found is not None
    assert (found.interaction, found.source.plugin_id) == (interaction, "echo-demo")
    for turn_id, name in (("t1", "other"), ("t2", "sheet")):
        assert full.read_now(lambda r: find_interaction(r, "s1", turn_id, name)) is None  # noqa: B023


def test_a_block_stands_behind_the_message_before_it(full: Store) -> None:
    proposals = (of_type("narrative.append", 1), of_type("ui.render", 2))
    *_, rendered, first, second = told(full, "ui.render", proposals=proposals)
    payload = PAYLOADS["ui.render"]
    assert rendered == {
        **OWN,
        "proposalId": "proposal-2",
        "source": "proposal",
        "render": payload,
        "block": {"id": "block-2", "afterMessage": 1},
    }
    common = {**OWN, "proposalId": "proposal-2", "blockId": "block-2"}
    assert [first, second] == [{**common, "part": part} for part in payload["parts"]]
    [block] = full.read_now(lambda reading: list_ui_blocks(reading, "s1"))
    assert (block.block_id, block.after_message, block.render) == ("block-2", 1, payload)


def test_an_image_leaves_a_short_message(full: Store) -> None:
    payload = PAYLOADS["asset.generate"]
    assert told(full, "asset.generate") == [{"proposalId": "proposal-1", **OWN, "asset": payload}]
    [record] = full.read_now(lambda reading: list_generated_assets(reading, "s1"))
    assert (record.media_id, record.modality, record.meta) == (
        ASSET_ID,
        "image",
        {"caption": "A lamp."},
    )
    [message] = full.read_now(lambda reading: list_messages(reading, "s1"))
    assert (message.kind, message.content, message.data) == ("image", "A lamp.", {"asset": payload})


@pytest.mark.parametrize(
    ("meta", "text"),
    [
        (None, "An image was shown."),
        ({"caption": " ", "prompt": "a lamp"}, "a lamp"),
        ({"caption": 7}, "An image was shown."),
        ({"prompt": "x" * 600}, "x" * 600),
        ({"prompt": "x" * 601}, "x" * 599 + "…"),
    ],
)
def test_the_message_of_an_image_is_its_caption_or_its_prompt(
    full: Store, meta: Any, text: str
) -> None:
    proposal = staged("asset.generate", ref=REF, modality="image", meta=meta)
    committed(full, provided(proposals=(proposal,)))
    [message] = full.read_now(lambda reading: list_messages(reading, "s1"))
    assert message.content == text


def test_a_sound_leaves_no_message(full: Store) -> None:
    committed(full, provided(proposals=(staged("asset.generate", ref=REF, modality="speech"),)))
    assert full.read_now(lambda reading: list_messages(reading, "s1")) == []


def test_all_types_of_one_execution_are_there_after_it(full: Store) -> None:
    written(full)

    def body(reading: Any) -> list[Any]:
        lamp = get_data(reading, data_key())
        character = get_character(reading, "s1", "npc-mira")
        schema = get_character_schema(reading, "s1")
        tide = get_dimension(reading, "s1", "tide")
        receipt = get_settlement(reading, "s1", "result-1")
        assert None not in (lamp, character, schema, tide, receipt)
        return [
            lamp.value,
            character["fields"],
            schema["version"],
            (tide.value, tide.version, tide.last_source),
            (receipt.status, receipt.version, receipt.source_turn_id, receipt.frozen),
            [(entry.owner, entry.entry_id) for entry in every_lorebook_entry(reading, "s1")],
        ]

    owner = LorebookOwner(kind="plugin", plugin_id="echo-demo")
    assert full.read_now(body) == [
        {"lit": False, "icon": REF},
        {"hp": 3},
        1,
        (4, 2, {"resultId": "result-1", "turnNumber": 1}),
        ("settled", 1, "t1", None),
        [(owner, "gate"), (owner, "sea")],
    ]


# Lorebook


def entry(**changes: Any) -> dict[str, Any]:
    base = {"id": "gate", "keys": ["gate"], "content": "Old.", "strategy": "selective"}
    return {**base, **changes}


def test_a_lorebook_entry_belongs_to_its_package_and_keeps_its_creation_time(full: Store) -> None:
    later = FINISHED.replace(hour=13)
    first = staged("lorebook.upsert", 1, entries=[entry(extra={"tone": "dry"}, insertionOrder=5)])
    again = staged("lorebook.upsert", 2, entries=[entry(content="New.", enabled=False)])
    theirs = replace(again, plugin_id="other-pack", proposal_id="proposal-3")
    report = committed(full, provided("t1", proposals=(first,)))
    assert report.events[0].payload == {
        "recordType": "lorebook-entry",
        "key": "gate",
        "value": {
            "position": "after_plugin",
            "enabled": True,
            **entry(extra={"tone": "dry"}, insertionOrder=5),
        },
        **OWN,
    }
    committed(full, provided("t2", proposals=(again, theirs), finished_at=later))

    def mine(reading: Any, plugin_id: str) -> Any:
        owner = LorebookOwner(kind="plugin", plugin_id=plugin_id)
        return get_lorebook_entry(reading, "s1", owner, "gate")

    own = full.read_now(lambda reading: mine(reading, "echo-demo"))
    assert own.entry == {
        "position": "after_plugin",
        **entry(content="New.", enabled=False),
    }
    assert (own.created_at, own.updated_at) == (FINISHED, later)
    other = full.read_now(lambda reading: mine(reading, "other-pack"))
    assert (other.created_at, other.entry["content"]) == (later, "New.")


def test_a_lorebook_entry_cannot_name_another_owner(full: Store) -> None:
    with pytest.raises(ProposalRefused) as error:
        staged("lorebook.upsert", entries=[entry(owner={"kind": "world"})])
    assert error.value.code == "proposal-invalid"


# Failures


def test_a_failure_after_any_statement_of_any_type_leaves_nothing(full: Store) -> None:
    # A second commit over the first, so that superseded rows are written as well.
    written(full)
    before = contents(full)
    again = [
        replace(proposal, proposal_id=f"proposal-{number}")
        for number, proposal in enumerate(every_type(), 101)
        if not proposal.type.startswith("dimension.")
    ]
    tide = staged(
        "dimension.update", 100, updates=[{"id": "tide", "expectedVersion": 2, "value": 7}]
    )
    execution = provided("t2", proposals=(*again, tide))

    def nothing_changed(after: int) -> None:
        assert contents(full) == before, after

    sent = commit_with_every_fault(full, execution, nothing_changed)
    assert sent > 40
    changed = {name for name, rows in contents(full).items() if rows != before[name]}
    assert {
        "characters",
        "characters_old",
        "character_schemas_old",
        "dimensions_old",
        "lorebook_entries_old",
        "plugin_data_old",
        "interactions",
        "ui_blocks",
        "events",
        "generated_assets",
    } <= changed


@pytest.mark.parametrize("type_name", PAYLOADS)
def test_a_later_refusal_takes_back_what_the_type_wrote(full: Store, type_name: str) -> None:
    written(full)
    bad = staged("plugin.data", 90, namespace="_logs", key="k", value=1)
    first = staged(
        "dimension.update", 80, updates=[{"id": "tide", "expectedVersion": 2, "value": 7}]
    )
    proposal = first if type_name == "dimension.update" else of_type(type_name, 80)
    error = refused(full, provided("t2", proposals=(proposal, bad)))
    assert (error.code, error.failed[-1].proposal_id) == ("reserved-namespace", "proposal-90")
