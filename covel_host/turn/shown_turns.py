"""Stored turns as they may be shown: nothing of concealed runs but that they ran, nothing internal.

The rows keep everything; a result says itself that its run was concealed (spec/protocol.md 6.1).
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from covel_host.store.records import ToolCallRecord, TurnRecord
from covel_host.trace.concealment import concealed_facts, is_concealed
from plugin_sdk.values import JsonValue

_INTERNAL: Final = frozenset({"reads", "hasValue", "isProjected"})
"""What the host keeps in a result for itself; what was read may be hidden."""


def shown_turn(turn: TurnRecord, concealed: Collection[str] = ()) -> TurnRecord:
    """The turn; runtimes of `concealed`, by ID, are taken for concealed whatever their rows say."""
    results = turn.results if isinstance(turn.results, list) else []
    return replace(turn, results=[_shown(result, concealed) for result in results])


def shown_calls(turn: TurnRecord, calls: Sequence[ToolCallRecord]) -> list[ToolCallRecord]:
    """The turn's tool calls, those of concealed runs without input and output."""
    runs = concealed_runs(turn)
    return [
        replace(call, arguments=None, result=None, error=None) if call.run_id in runs else call
        for call in calls
    ]


def concealed_runs(turn: TurnRecord) -> frozenset[str]:
    """The IDs of the turn's concealed runs."""
    results = turn.results if isinstance(turn.results, list) else []
    return frozenset(
        str(result.get("runId"))
        for result in results
        if isinstance(result, dict) and is_concealed(result)
    )


def _shown(result: JsonValue, concealed: Collection[str]) -> JsonValue:
    if not isinstance(result, dict):
        return result
    if is_concealed(result) or result.get("runtimeId") in concealed:
        return concealed_facts(result)
    return {name: value for name, value in result.items() if name not in _INTERNAL}
