"""Proposals and executions for tests, complete but for what a test is about."""

from datetime import UTC, datetime
from typing import Any

from covel_host.proposals.plan import ExecutionCommit, NewMessage
from covel_host.proposals.staged import StagedProposal, check_proposal
from covel_host.store.sessions import insert_session
from covel_host.store.store import Store
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


def commit(turn_id: str = "t1", **changes: Any) -> ExecutionCommit:
    """A player's execution that wrote nothing yet."""
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
    }
    return ExecutionCommit(**{**values, **changes})


def full_commit(turn_id: str = "t1") -> ExecutionCommit:
    """A player's execution that wrote something of every kind."""
    return commit(
        turn_id,
        results=[{"runtimeId": "echo-demo", "status": "success"}],
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
