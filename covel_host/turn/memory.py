"""The memory that an execution searches: its session's, over the data of its packages."""

from covel_host.catalog.catalog import Catalog
from covel_host.memory.namespaces import searchable_namespaces
from covel_host.memory.system import MemorySystem, SessionMemory
from covel_host.store.records import SessionRecord
from covel_host.turn.services import session_generations


def session_memory(memory: MemorySystem, catalog: Catalog, session: SessionRecord) -> SessionMemory:
    """The session's memory; data is searched while its package is active and loaded."""
    places = [
        place
        for generation in session_generations(catalog, session)
        if (manifest := generation.reading.manifest) is not None
        for place in searchable_namespaces(generation.plugin_id, manifest.contributes)
    ]
    return memory.of_session(session.session_id, places)
