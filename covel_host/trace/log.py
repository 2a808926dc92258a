"""The ordered trace of one turn, written by many hands and read once at its end."""

from collections.abc import Callable, Collection
from types import NoneType
from typing import Any

from covel_host.base.clock import Clock
from covel_host.trace.concealment import concealed_facts
from covel_host.trace.event_types import checked_type
from covel_host.trace.events import TraceEvent
from covel_host.trace.prompts import PromptBook, SentPrompt
from covel_host.trace.redaction import redact, redact_members

Listener = Callable[[TraceEvent], None]

_LASTING = frozenset({str, int, bool, float, NoneType})
"""Types whose values never change, so that an event may keep them as they came."""


class TraceLog:
    """Keeps the trace events of a turn in the order in which they were added.

    Data is redacted before anyone reads it, and of concealed runs nothing is kept that could hold
    content. `listener` is told of each event as it is added, for live views. One event loop's code
    may add to one log.
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
        self._prompts = PromptBook(self._secrets)
        self._concealed: set[str] = set()

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

    def redacted(self, text: str) -> str:
        """`text` as an event would have it."""
        return str(redact(text, secrets=self._secrets))

    def conceal(self, run_id: str) -> None:
        """Keep from now on only what may be shown of that run (spec/protocol.md 6.1)."""
        self._concealed.add(run_id)

    def conceals(self, run_id: str) -> bool:
        """Whether the run is concealed."""
        return run_id in self._concealed

    def append(
        self,
        name: str,
        data: dict[str, Any],
        *,
        run_id: str | None,
        parent_id: str | None,
        prompt: SentPrompt | None = None,
    ) -> TraceEvent:
        """As `add`, with the members in a dictionary that the log keeps.

        `prompt` is what a model call was given; the event names its parts.
        """
        checked_type(name)
        if run_id in self._concealed:
            data, prompt = concealed_facts(data), None
        secrets: tuple[str, ...] | None = self._secrets
        for value in data.values():
            if type(value) not in _LASTING:
                # It could change before it is read.
                data, secrets = redact_members(data, self._secrets), None
                break
        now, position = self._clock.now(), len(self._events)
        event = TraceEvent(
            name,
            now,
            self._turn_id,
            position,
            run_id,
            parent_id,
            data,
            secrets,
            None if prompt is None else (prompt, self._prompts),
        )
        self._events.append(event)
        if self._listener is not None:
            self._listener(event)
        return event

    def of_run(
        self,
        run_id: str,
        *,
        parent_id: str | None = None,
        runtime_id: str | None = None,
        plugin_id: str | None = None,
    ) -> "RunTrace":
        """A writer that states the run (and the run that started it) on each event it adds.

        Events have the runtime and its package as `runtimeId` and `pluginId`, unless they name
        others, such as the package of a hook.
        """
        return RunTrace(
            self, run_id=run_id, parent_id=parent_id, runtime_id=runtime_id, plugin_id=plugin_id
        )


class RunTrace:
    """Adds events of one runtime run to the log of its turn."""

    def __init__(
        self,
        log: TraceLog,
        *,
        run_id: str,
        parent_id: str | None,
        runtime_id: str | None = None,
        plugin_id: str | None = None,
    ) -> None:
        self._log = log
        self._run_id = run_id
        self._parent_id = parent_id
        named = {"runtimeId": runtime_id, "pluginId": plugin_id}
        self._named = {name: told for name, told in named.items() if told is not None}

    @property
    def run_id(self) -> str:
        """The run whose events this writer adds."""
        return self._run_id

    @property
    def is_concealed(self) -> bool:
        """Whether the run is concealed."""
        return self._log.conceals(self._run_id)

    def redacted(self, text: str) -> str:
        """`text` without credentials, as an event would have it."""
        return self._log.redacted(text)

    def add(self, type: str, **data: object) -> TraceEvent:
        """Append an event of this run; see `TraceLog.add`."""
        return self._log.append(
            type, {**self._named, **data}, run_id=self._run_id, parent_id=self._parent_id
        )

    def add_call(self, prompt: SentPrompt, **data: object) -> TraceEvent:
        """Append `llm.calling` of this run, with what the model was given."""
        return self._log.append(
            "llm.calling",
            {**self._named, **data},
            run_id=self._run_id,
            parent_id=self._parent_id,
            prompt=prompt,
        )

    def child(self, run_id: str, *, runtime_id: str, plugin_id: str) -> "RunTrace":
        """A writer for a run that this run starts; what a concealed run starts is concealed too."""
        if self.is_concealed:
            self._log.conceal(run_id)
        return self._log.of_run(
            run_id, parent_id=self._run_id, runtime_id=runtime_id, plugin_id=plugin_id
        )
