"""Rows for tests, complete but for what a test is about."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from covel_host.store.options import StoreOptions
from covel_host.store.plugin_data import DataKey
from covel_host.store.records import (
    MessageRecord,
    SessionRecord,
    ToolCallRecord,
    TraceRecord,
    TurnRecord,
)

START = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


def at(seconds: int = 0) -> datetime:
    """A time some seconds after the tests' start."""
    return START + timedelta(seconds=seconds)


def options(folder: Path, **changes: Any) -> StoreOptions:
    """Options of a database in `folder`, fast rather than safe against power cuts."""
    return StoreOptions(path=folder / "covel.db", synchronous="NORMAL", **changes)


def session(session_id: str = "s1", **changes: Any) -> SessionRecord:
    """A fresh session."""
    values: dict[str, Any] = {
        "session_id": session_id,
        "incarnation": f"incarnation-of-{session_id}",
        "created_at": START,
        "updated_at": START,
    }
    return SessionRecord(**{**values, **changes})


def turn(turn_id: str = "t1", session_id: str = "s1", **changes: Any) -> TurnRecord:
    """A pending player turn."""
    values: dict[str, Any] = {
        "session_id": session_id,
        "turn_id": turn_id,
        "origin": "player",
        "logical_turn_id": turn_id,
        "logical_turn": 1,
        "commit_status": "pending",
        "started_at": START,
    }
    return TurnRecord(**{**values, **changes})


def message(message_id: str = "m1", session_id: str = "s1", **changes: Any) -> MessageRecord:
    """A player's message of revision 1."""
    values: dict[str, Any] = {
        "message_id": message_id,
        "session_id": session_id,
        "turn_id": "t1",
        "revision": 1,
        "source": "player",
        "role": "user",
        "content": f"content of {message_id}",
        "created_at": START,
    }
    return MessageRecord(**{**values, **changes})


def tool_call(position: int = 0, **changes: Any) -> ToolCallRecord:
    """A completed tool call of turn `t1`."""
    values: dict[str, Any] = {
        "session_id": "s1",
        "turn_id": "t1",
        "position": position,
        "call_id": f"call-{position}",
        "plugin_id": "echo-demo",
        "runtime_id": "echo-demo",
        "tool_name": "echo-value",
        "status": "completed",
        "arguments": {"value": "lamp"},
        "result": {"ok": True},
        "started_at": START,
        "duration_ms": 3,
    }
    return ToolCallRecord(**{**values, **changes})


def trace_event(position: int = 0, **changes: Any) -> TraceRecord:
    """A trace event of turn `t1`."""
    values: dict[str, Any] = {
        "session_id": "s1",
        "turn_id": "t1",
        "position": position,
        "type": "tool.calling",
        "at": START,
        "run_id": "run-1",
        "parent_id": None,
        "data": {"toolName": "echo-value"},
    }
    return TraceRecord(**{**values, **changes})


def data_key(key: str = "lamp", **changes: Any) -> DataKey:
    """A record of the package `echo-demo` in session `s1`."""
    values = {"session_id": "s1", "plugin_id": "echo-demo", "namespace": "notes", "key": key}
    return DataKey(**{**values, **changes})
