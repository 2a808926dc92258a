"""The closed list of event names: where each goes and how long it is kept (docs/events.md)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

Topic = Literal[
    "runtime", "state", "game", "plugin", "session", "store", "system", "trace", "hooks", "job"
]
"""What a subscription asks for (spec/protocol.md 2.2)."""

Keeping = Literal["replayed", "live", "trace"]
"""`replayed` events have a place in the session's log and are sent again after a reconnect; `live`
ones reach who listens at that moment and are kept nowhere; `trace` ones are rows of their turn."""

Sender = Literal["commit", "execution", "run", "session", "host", "nobody"]
"""Who sends it: the commit of an execution, the execution around its runs, one run, whoever changes
a session between turns, the log itself; or no part of this host yet."""


@dataclass(frozen=True, slots=True)
class EventType:
    """One name."""

    name: str
    topic: Topic
    keeping: Keeping
    sender: Sender

    @property
    def is_trace(self) -> bool:
        """Whether it only explains; no client needs it to know what is so."""
        return self.keeping == "trace"


_SESSION: Final[dict[tuple[Topic, Keeping, Sender], str]] = {
    ("game", "live", "run"): "narrative.delta",
    ("game", "replayed", "commit"): "narrative.completed",
    ("state", "replayed", "commit"): """
        interaction.requested character-schema.changed character.upserted record.updated
        dimensions.changed dimensions.settlement.changed event.emitted asset.generated
        proposal.failed
    """,
    ("plugin", "replayed", "commit"): "plugin-data.changed ui.rendered ui.part.update",
    ("state", "replayed", "session"): "interaction.submitted",
    ("runtime", "replayed", "execution"): """
        execution.started execution.completed
        runtime.started runtime.completed runtime.failed runtime.skipped
    """,
    ("system", "live", "host"): "system.connected system.reset",
    ("system", "live", "nobody"): "system.heartbeat",
    ("state", "replayed", "nobody"): "interaction.completed world.dimensions.changed",
    ("state", "live", "nobody"): "domain-event.previewed",
    ("runtime", "replayed", "commit"): "runtime.deferred",
    ("runtime", "replayed", "nobody"): "error.occurred",
    ("plugin", "replayed", "nobody"): "ui.slot.changed ui.slot.cleared",
    ("plugin", "live", "nobody"): "ui.slot.preview asset.progress",
    ("job", "replayed", "run"): "job-status.updated",
    ("session", "replayed", "commit"): "turn.suspended",
    ("session", "replayed", "execution"): "turn.resumed",
    ("session", "replayed", "nobody"): "state.snapshot.created session.forked",
}

_TRACE: Final[dict[tuple[Topic, Sender], str]] = {
    ("trace", "execution"): """
        turn.started turn.completed scheduling.hazard commit.fanout.failed
        execution.settle-timeout
    """,
    ("trace", "run"): """
        tool.calling tool.completed tool.failed tool.replaced llm.calling llm.responded
        function.executing function.completed plugin.service.completed
        context.pruned context.compacted context.compaction.failed
        gateway.calling gateway.responded gateway.failed
        recursive.calling recursive.completed recursive.failed
        subagent.started subagent.completed subagent.failed
        utils.fetch.calling utils.fetch.responded utils.fetch.failed
    """,
    ("trace", "session"): "command.invoked command.completed command.failed",
    ("hooks", "run"): "hook.fired hook.rewrote hook.aborted hook.error",
    ("trace", "nobody"): "message.completed block.emitted",
}


def _types() -> Iterator[EventType]:
    for (topic, keeping, sender), names in _SESSION.items():
        for name in names.split():
            yield EventType(name, topic, keeping, sender)
    for (topic, sender), names in _TRACE.items():
        for name in names.split():
            yield EventType(name, topic, "trace", sender)


EVENT_TYPES: Final[dict[str, EventType]] = {one.name: one for one in _types()}
"""Every event name there is; an event of another name cannot be made. Their members are in
`trace.event_payloads`, which a test keeps complete."""


def checked_type(name: str) -> str:
    """`name`, which must be listed.

    Raises:
        ValueError: it is not; the message names the place to list it.
    """
    if name not in EVENT_TYPES:
        raise ValueError(f"The event name {name!r} is not listed in `trace.event_types`.")
    return name
