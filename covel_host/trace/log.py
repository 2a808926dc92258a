"""The ordered trace of one turn, written by many hands and read once at its end."""

from collections.abc import Callable, Collection, Mapping

from covel_host.base.clock import Clock
from covel_host.trace.event_types import checked_type
from covel_host.trace.events import TraceEvent
from covel_host.trace.redaction import redact

Listener = Callable[[TraceEvent], None]


class TraceLog:
    """Keeps the trace events of a turn in the order in which they were added.

    Data is redacted when it is added, so that no reader can meet a secret. `listener` is told of
    each event as it is added, for live views. One event loop's code may add to one log.
    """

    def __init__(
        self,
        *,
        turn_id: str,
        clock: Clock,
        secrets: Collection[str] = (),
        listener: Listener | None = None,
    ) -> None:
        self._turn_id = turn_id
        self._clock = clock
        self._secrets = tuple(secrets)
        self._listener = listener
        self._events: list[TraceEvent] = []

    @property
    def events(self) -> tuple[TraceEvent, ...]:
        """All events so far, in order."""
        return tuple(self._events)

    def add(
        self, type: str, *, run_id: str | None = None, parent_id: str | None = None, **data: object
    ) -> TraceEvent:
        """Append an event; `data` are its camelCase members, of any type.

        Raises:
            ValueError: `type` is not listed in `trace.event_types`.
        """
        return self.append(type, data, run_id=run_id, parent_id=parent_id)

    def append(
        self, type: str, data: Mapping[str, object], *, run_id: str | None, parent_id: str | None
    ) -> TraceEvent:
        """As `add`, with the members in one mapping, which is copied."""
        redacted = redact(data, secrets=self._secrets)
        assert isinstance(redacted, dict)
        event = TraceEvent(
            type=checked_type(type),
            at=self._clock.now(),
            turn_id=self._turn_id,
            position=len(self._events),
            run_id=run_id,
            parent_id=parent_id,
            data=redacted,
        )
        self._events.append(event)
        if self._listener is not None:
            self._listener(event)
        return event

    def of_run(self, run_id: str, *, parent_id: str | None = None) -> "RunTrace":
        """A writer that states the run (and the run that started it) on each event it adds."""
        return RunTrace(self, run_id=run_id, parent_id=parent_id)


class RunTrace:
    """Adds events of one runtime run to the log of its turn."""

    def __init__(self, log: TraceLog, *, run_id: str, parent_id: str | None) -> None:
        self._log = log
        self._run_id = run_id
        self._parent_id = parent_id

    @property
    def run_id(self) -> str:
        """The run whose events this writer adds."""
        return self._run_id

    def add(self, type: str, **data: object) -> TraceEvent:
        """Append an event of this run; see `TraceLog.add`."""
        return self._log.append(type, data, run_id=self._run_id, parent_id=self._parent_id)

    def child(self, run_id: str) -> "RunTrace":
        """A writer for a run that this run starts."""
        return self._log.of_run(run_id, parent_id=self._run_id)
