"""The events that the packages of a session declare."""

from collections.abc import Iterable, Mapping
from functools import cached_property

from covel_host.catalog.events import LoadedEvent
from covel_host.catalog.generation import Generation


class SessionEvents:
    """The event directory of one execution, over what is loaded of its session's packages.

    A topic has one declarer in a session. Where two declare it, the first one counts, as in the
    selection of the session's packages (spec/manifest.md 8.3).
    """

    def __init__(self, generations: Iterable[Generation]) -> None:
        self._generations = tuple(generations)

    @cached_property
    def advertised(self) -> Mapping[str, LoadedEvent]:
        """The events an agent may emit, by topic, in order of topic; no internal one is here."""
        declared: dict[str, LoadedEvent] = {}
        for generation in self._generations:
            for topic, event in generation.events.items():
                declared.setdefault(topic, event)
        return {topic: event for topic, event in sorted(declared.items()) if event.is_advertised}
