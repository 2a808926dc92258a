"""What is told of a concealed runtime (`io.concealed`, spec/protocol.md 6.1)."""

from collections.abc import Mapping
from typing import Any, Final

CONCEALED: Final = "concealed"
"""The member that says of an event, a result or a call that the rest is left out."""

SHOWN_MEMBERS: Final = frozenset(
    {
        "runtimeId",
        "pluginId",
        "runId",
        "turnId",
        "toolName",
        "toolCallId",
        "status",
        "durationMs",
        "usage",
        "cost",
        "finishReason",
        "seq",
    }
)
"""Whose run it was, how it ended and what it took. Everything else could hold content."""


def concealed_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Of an event, a result or a call: the members that may be shown, and that it is concealed.

    The one place that decides it: traces, events, reports, records and exports all ask here.
    """
    shown = {name: facts[name] for name in facts if name in SHOWN_MEMBERS}
    return {**shown, CONCEALED: True}


def is_concealed(result: object) -> bool:
    """Whether a result's JSON form says that its run is concealed."""
    return isinstance(result, Mapping) and result.get(CONCEALED) is True
