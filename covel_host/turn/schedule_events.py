"""Events within a turn: gathered by topic, one payload for each (seed: 去重的范围)."""

from __future__ import annotations

from covel_host.turn.schedule_types import EmittedEvent, EventPayloadDropped, RunOutcome


class EventChain:
    """The events of one stage layer and of every follower that they set off in turn.

    A topic is delivered once in a chain: the first payload wins, in the order in which the layer
    lists its runtimes, and each later one becomes a hazard. So a chain ends even where followers
    emit each other's topics, and a subscriber runs at most once in it. The next stage layer starts
    a chain of its own.
    """

    def __init__(self) -> None:
        self.depth = 0
        self._topics_taken: set[str] = set()
        self._gathered: list[EmittedEvent] = []

    def gather(self, runtime_id: str, outcome: RunOutcome) -> list[EventPayloadDropped]:
        """Take up the events of one run; the payloads that come too late are returned."""
        dropped: list[EventPayloadDropped] = []
        if not outcome.publishes_events:
            return dropped
        for topic, data in outcome.events:
            if topic in self._topics_taken:
                dropped.append(EventPayloadDropped(topic, runtime_id))
            else:
                self.put(EmittedEvent(topic, data, runtime_id))
        return dropped

    def put(self, event: EmittedEvent) -> None:
        """Add an event whose topic is still free in this chain."""
        self._topics_taken.add(event.topic)
        self._gathered.append(event)

    def take(self) -> list[EmittedEvent]:
        """The events gathered since the last call; with any, the chain goes one depth further."""
        events, self._gathered = self._gathered, []
        if events:
            self.depth += 1
        return events
