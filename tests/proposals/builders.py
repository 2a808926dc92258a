"""Proposals and executions for tests, complete but for what a test is about."""

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import bindparam, select

from covel_host.proposals.commit import commit_execution
from covel_host.proposals.errors import CommitRefused
from covel_host.proposals.plan import CommitReport, ExecutionCommit, NewMessage, RunWrites
from covel_host.proposals.refusal_codes import COMMIT_CODES, REFUSAL_CODES
from covel_host.proposals.staged import StagedProposal, check_proposal
from covel_host.store.assets import insert_asset
from covel_host.store.exports import get_export
from covel_host.store.records import MediaAssetRecord
from covel_host.store.sessions import insert_session
from covel_host.store.statements import Statement
from covel_host.store.store import Store
from covel_host.store.tables import METADATA, RUNTIME_EXPORTS, RUNTIME_EXPORTS_OLD
from covel_host.store.transaction import Reading
from covel_host.trace.events import TraceEvent
from tests.store.builders import START, session, tool_call

FINISHED = datetime(2026, 1, 1, 12, 5, tzinfo=UTC)


def staged(type_name: str, /, number: int = 1, **payload: Any) -> StagedProposal:
    """A checked proposal of the package `echo-demo`."""
    return check_proposal(
        {"type": type_name, "payload": payload},
        proposal_id=f"proposal-{number}",
        plugin_id="echo-demo",
        runtime_id="echo-demo",
        run_id="run-1",
    )


def note(key: str = "lamp", value: Any = 1, *, number: int = 1) -> StagedProposal:
    """A checked `plugin.data` proposal."""
    return staged("plugin.data", number, namespace="notes", key=key, value=value)


def run(
    run_id: str = "run-1", *proposals: StagedProposal, runtime_id: str = "echo-demo", **changes: Any
) -> RunWrites:
    """What a run of the package `echo-demo` hands in."""
    values: dict[str, Any] = {"run_id": run_id, "plugin_id": "echo-demo", "runtime_id": runtime_id}
    return RunWrites(**{**values, "proposals": proposals, **changes})


def commit(
    turn_id: str = "t1", *, proposals: tuple[StagedProposal, ...] = (), **changes: Any
) -> ExecutionCommit:
    """A player's execution; `proposals` are those of its one run."""
    values: dict[str, Any] = {
        "session_id": "s1",
        "incarnation": "incarnation-of-s1",
        "turn_id": turn_id,
        "origin": "player",
        "logical_turn_id": turn_id,
        "logical_turn": 1,
        "started_at": START,
        "finished_at": FINISHED,
        "duration_ms": 300_000,
        "runs": (run("run-1", *proposals),) if proposals else (),
    }
    return ExecutionCommit(**{**values, **changes})


def full_commit(turn_id: str = "t1") -> ExecutionCommit:
    """A player's execution that wrote something of every kind."""
    return commit(
        turn_id,
        results=({"runtimeId": "echo-demo", "runId": "run-1", "status": "success"},),
        messages=(
            NewMessage(
                message_id=f"said-{turn_id}",
                source="player",
                role="user",
                content="Light the lamp.",
                created_at=START,
            ),
        ),
        proposals=(
            staged("narrative.append", int(turn_id[1:]), content="The lamp is lit."),
            note("lamp", {"lit": True}),
            staged(
                "plugin.data.batch",
                items=[
                    {"namespace": "notes", "key": "a", "value": 1},
                    {"namespace": "other", "key": "b", "value": [2]},
                ],
            ),
            staged("plugin.data.delete", namespace="notes", key="a"),
        ),
        tool_calls=(tool_call(0, turn_id=turn_id), tool_call(1, turn_id=turn_id)),
        trace=(
            TraceEvent(type="turn.started", at=START, turn_id=turn_id, position=0),
            TraceEvent(type="tool.calling", at=START, turn_id=turn_id, position=1, run_id="run-1"),
        ),
        phase="playing",
    )


def with_session(store: Store) -> Store:
    """The store, with session `s1` in it."""
    store.transaction_now(lambda transaction: insert_session(transaction, session()))
    return store


ASSET_ID = "a" * 64
REF = {"id": ASSET_ID, "mime": "image/png", "size": 3}
TIDE = {
    "name": {"en": "Tide", "de": "Flut"},
    "schema": {"type": "integer", "minimum": 0, "title": {"en": "Height"}},
    "initialValue": 2,
    "updateRule": {"en": "Rises at night.", "de": "Steigt nachts."},
}

PAYLOADS: dict[str, dict[str, Any]] = {
    "narrative.append": {"content": "Rain."},
    "event.emit": {"topic": "check.resolved", "data": {"dc": 12}},
    "interaction.request": {
        "interaction": {
            "type": "form",
            "interactionId": "sheet",
            "title": "Who are you?",
            "fields": [{"type": "text", "name": "name", "label": "Name"}],
            "submitLabel": "Go",
            "narrativeTemplate": "You are {{name}}.",
        }
    },
    "ui.render": {
        "parts": [
            {"id": "map", "type": "image", "status": "success", "content": REF},
            {"id": "note", "type": "text", "status": "pending", "content": None},
        ],
        "layout": "split",
    },
    "asset.generate": {"ref": REF, "modality": "image", "meta": {"caption": "A lamp."}},
    "plugin.data": {"namespace": "notes", "key": "lamp", "value": {"lit": True, "icon": REF}},
    "plugin.data.batch": {
        "items": [
            {"namespace": "notes", "key": "a", "value": 1},
            {"namespace": "other", "key": "b", "value": [2]},
        ]
    },
    "plugin.data.delete": {"namespace": "notes", "key": "a"},
    "plugin.data.update": {
        "namespace": "notes",
        "key": "lamp",
        "ops": [{"op": "put", "path": "/lit", "value": False}],
    },
    "character.schema.set": {
        "types": ["npc"],
        "attributes": [
            {"id": "hp", "name": "HP", "type": "number", "category": "stats", "min": 0, "max": 9}
        ],
    },
    "character.upsert": {
        "id": "npc-mira",
        "name": "Mira",
        "aliases": ["the keeper"],
        "fields": {"hp": 3},
    },
    "dimension.initialize": {"definitions": {"tide": TIDE}},
    "dimension.update": {
        "updates": [{"id": "tide", "expectedVersion": 1, "value": 4, "reason": "Storm"}],
        "source": {"resultId": "result-1", "turnNumber": 1},
        "settlement": {"status": "settled"},
    },
    "lorebook.upsert": {
        "entries": [
            {"id": "gate", "keys": ["gate"], "content": "Old.", "strategy": "selective"},
            {"id": "sea", "keys": [], "content": "Wide.", "strategy": "constant"},
        ]
    },
}
"""One proposal of each type that can be committed together, in this order."""


def of_type(type_name: str, number: int = 1) -> StagedProposal:
    """The proposal of that type."""
    return staged(type_name, number, **PAYLOADS[type_name])


def every_type(first: int = 1) -> tuple[StagedProposal, ...]:
    """One proposal of each type, numbered from `first`."""
    return tuple(of_type(name, number) for number, name in enumerate(PAYLOADS, first))


def provided(turn_id: str = "t1", **changes: Any) -> ExecutionCommit:
    """An execution in a session whose dimension provider is the proposing package."""
    return commit(turn_id, **{"dimension_provider_id": "echo-demo", **changes})


def asset(media_id: str = ASSET_ID, **changes: Any) -> MediaAssetRecord:
    """An asset that session `s1` owns."""
    values: dict[str, Any] = {
        "media_id": media_id,
        "mime": "image/png",
        "size_bytes": 3,
        "created_at": START,
        "owner_session_id": "s1",
    }
    return MediaAssetRecord(**{**values, **changes})


def with_asset(store: Store) -> Store:
    """The store, with the asset of `REF` in it."""
    store.transaction_now(lambda transaction: insert_asset(transaction, asset()))
    return store


def committed(store: Store, execution: ExecutionCommit) -> CommitReport:
    """The report of the execution, committed."""
    return store.transaction_now(lambda transaction: commit_execution(transaction, execution))


def refused(store: Store, execution: ExecutionCommit) -> CommitRefused:
    """Why the execution is refused; nothing of it may be there."""
    before = contents(store)
    with pytest.raises(CommitRefused) as error:
        committed(store, execution)
    assert contents(store) == before
    assert error.value.code in {*REFUSAL_CODES, *COMMIT_CODES}
    return error.value


def contents(store: Store) -> dict[str, list[Any]]:
    """Every row of every table."""

    def body(reading: Reading) -> dict[str, list[Any]]:
        return {
            name: reading.rows(Statement(select(table).order_by(*table.primary_key)))
            for name, table in METADATA.tables.items()
        }

    return store.read_now(body)


def exports(reading: Reading, session_id: str = "s1", *, revision: int | None = None) -> list[Any]:
    """The exports of a session by producer and name; as `revision` left them if given."""
    names = {
        (row[0], row[1])
        for table in (RUNTIME_EXPORTS, RUNTIME_EXPORTS_OLD)
        for row in reading.rows(
            Statement(
                select(table.c.producer_id, table.c.name).where(
                    table.c.session_id == bindparam("session_id")
                )
            ),
            {"session_id": session_id},
        )
    }
    found = (get_export(reading, session_id, *name, revision=revision) for name in sorted(names))
    return [record for record in found if record is not None]
