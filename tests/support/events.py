"""Event directories made in a test."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from covel_host.catalog.events import LoadedEvent
from covel_host.schemas.compiled import compile_schema


@dataclass(frozen=True)
class Events:
    """A directory of what a test declares."""

    advertised: Mapping[str, LoadedEvent]


def events(**schemas: Any) -> Events:
    """Advertised events; `herb_found` is the topic `herb.found`."""
    topics = {name.replace("_", "."): schema for name, schema in sorted(schemas.items())}
    return Events(
        {
            topic: LoadedEvent(topic, f"About {topic}.", True, compile_schema(schema))
            for topic, schema in topics.items()
        }
    )
