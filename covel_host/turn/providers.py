"""Which package of a session provides a contract that the host itself asks for."""

from typing import Final

from covel_host.catalog.catalog import Catalog
from covel_host.store.records import SessionRecord

DIMENSIONS_CONTRACT: Final = "world.dimensions@1"


def dimension_provider(catalog: Catalog, session: SessionRecord) -> str | None:
    """The package that alone may write the session's dimensions (spec/world.md 3.6).

    A default provider steps aside for another one. None where nobody provides them, or where the
    packages do not say who does.
    """
    providers = {}
    for plugin_id in session.active_packages:
        state = catalog.packages.get(plugin_id)
        manifest = None if state is None else state.reading.manifest
        for provided in () if manifest is None else manifest.provided_contracts:
            if provided.contract == DIMENSIONS_CONTRACT:
                providers[plugin_id] = provided.default
    chosen = [name for name, is_default in providers.items() if not is_default] or [*providers]
    return chosen[0] if len(chosen) == 1 else None
