"""The events that agents of a session may emit, as `emit-event` and the prompt see them."""

from collections.abc import Mapping
from typing import Final, Protocol

from covel_host.catalog.events import LoadedEvent


class EventDirectory(Protocol):
    """What the packages of a session declare; the same for the whole time of an execution."""

    @property
    def advertised(self) -> Mapping[str, LoadedEvent]:
        """The events an agent may emit, by topic, in order of topic; no internal one is here."""
        ...


class NoEvents:
    """The directory of a session in which no package declares an event."""

    @property
    def advertised(self) -> Mapping[str, LoadedEvent]:
        return {}


NO_EVENTS: Final = NoEvents()
