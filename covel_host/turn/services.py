"""The services that an execution can reach: those of its session's packages."""

from covel_host.catalog.catalog import Catalog
from covel_host.catalog.generation import Generation
from covel_host.catalog.holder import CatalogHolder
from covel_host.services.directory import ServiceDirectory, Standing
from covel_host.store.records import SessionRecord


def session_generations(catalog: Catalog, session: SessionRecord) -> list[Generation]:
    """What is loaded of the session's packages, in the session's order."""
    states = (catalog.packages.get(plugin_id) for plugin_id in session.active_packages)
    return [
        state.generation for state in states if state is not None and state.generation is not None
    ]


def service_directory(
    leased: Catalog,
    catalogs: CatalogHolder,
    session: SessionRecord,
    *,
    paused: frozenset[str] = frozenset(),
) -> ServiceDirectory:
    """The services of the session's packages as they were loaded when the execution began.

    A package that was removed since, or whose code may not run any more, is out at once
    (spec/manifest.md 10.4). Those of `paused` packages are set aside.
    """
    generations = session_generations(leased, session)
    services = {generation.plugin_id: generation.services for generation in generations}
    texts = {generation.plugin_id: generation.translations for generation in generations}
    loaded = frozenset(services)

    def standing(plugin_id: str) -> Standing:
        now = catalogs.current.packages.get(plugin_id)
        is_out = plugin_id not in loaded or now is None or now.status == "untrusted"
        if is_out:
            return "inactive"
        return "paused" if plugin_id in paused else "active"

    return ServiceDirectory(services, standing=standing, texts=texts)
