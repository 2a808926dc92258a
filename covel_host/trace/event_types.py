"""The closed list of event names with what each is for (spec/protocol.md 1 and 3)."""

from dataclasses import dataclass
from typing import Literal

Delivery = Literal["session", "trace"]
"""`session` events tell clients what is so; `trace` events only explain."""


@dataclass(frozen=True, slots=True)
class EventType:
    """One name: where it goes, and whether the bus forwards it to the stream of an action.

    An event that is not forwarded is written to that stream by the committing code itself, or
    does not reach it at all.
    """

    name: str
    delivery: Delivery
    is_forwarded: bool


_SESSION = (
    "narrative.delta",
    "narrative.completed",
    "interaction.requested",
    "interaction.submitted",
    "interaction.completed",
    "execution.started",
    "runtime.started",
    "runtime.completed",
    "runtime.failed",
    "runtime.skipped",
    "runtime.deferred",
    "proposal.failed",
    "execution.completed",
    "error.occurred",
    "event.emitted",
    "character-schema.changed",
    "record.updated",
    "dimensions.changed",
    "dimensions.settlement.changed",
    "world.dimensions.changed",
    "asset.generated",
    "turn.suspended",
    "turn.resumed",
    "state.snapshot.created",
    "session.forked",
    "system.connected",
    "system.heartbeat",
    "system.reset",
)
_SESSION_FORWARDED = (
    "ui.rendered",
    "ui.part.update",
    "domain-event.previewed",
    "character.upserted",
    "plugin-data.changed",
    "ui.slot.changed",
    "ui.slot.preview",
    "ui.slot.cleared",
    "job-status.updated",
    "asset.progress",
)
_TRACE = (
    "turn.started",
    "turn.completed",
    "function.executing",
    "function.completed",
    "recursive.calling",
    "recursive.completed",
    "recursive.failed",
    "subagent.started",
    "subagent.completed",
    "subagent.failed",
    "scheduling.hazard",
    "utils.fetch.calling",
    "utils.fetch.responded",
    "utils.fetch.failed",
    "plugin.service.completed",
    "command.invoked",
    "command.completed",
    "command.failed",
    "context.pruned",
    "context.compacted",
    "context.compaction.failed",
    "commit.fanout.failed",
    "execution.settle-timeout",
    "hook.error",
)
_TRACE_FORWARDED = (
    "tool.calling",
    "tool.completed",
    "tool.failed",
    "llm.calling",
    "llm.responded",
    "message.completed",
    "block.emitted",
    "hook.fired",
    "hook.rewrote",
    "hook.aborted",
    "gateway.calling",
    "gateway.responded",
    "gateway.failed",
)

_GROUPS: tuple[tuple[tuple[str, ...], Delivery, bool], ...] = (
    (_SESSION, "session", False),
    (_SESSION_FORWARDED, "session", True),
    (_TRACE, "trace", False),
    (_TRACE_FORWARDED, "trace", True),
)

EVENT_TYPES: dict[str, EventType] = {
    name: EventType(name, delivery, is_forwarded)
    for names, delivery, is_forwarded in _GROUPS
    for name in names
}
"""Every event name there is; an event of another name cannot be made."""


def checked_type(name: str) -> str:
    """`name`, which must be listed.

    Raises:
        ValueError: it is not; the message names the place to list it.
    """
    if name not in EVENT_TYPES:
        raise ValueError(f"The event name {name!r} is not listed in `trace.event_types`.")
    return name
