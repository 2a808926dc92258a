"""What settings say of packages, model slots and database, for who needs no whole host."""

from collections.abc import Iterable

from covel_host.catalog.building import load_into, read_catalog
from covel_host.catalog.catalog import Catalog
from covel_host.catalog.discovery import discover
from covel_host.catalog.load_results import LoadResults
from covel_host.catalog.loading import ENTRY_LIMIT_S
from covel_host.models.slot_file import load_slots
from covel_host.models.slots import SlotTable
from covel_host.settings import Settings
from covel_host.store.options import StoreOptions


def open_catalog(settings: Settings) -> Catalog:
    """Every package of the plugin folders, read; no code is run and no store is opened."""
    return read_catalog(discover(settings.folders))


async def load_catalog(
    catalog: Catalog,
    settings: Settings,
    plugin_ids: Iterable[str],
    *,
    limit_s: float = ENTRY_LIMIT_S,
) -> Catalog:
    """`catalog` with those of `plugin_ids` loaded whose code may run, each entry in `limit_s`."""
    return await load_into(
        catalog,
        plugin_ids,
        trust=settings.trust,
        results=LoadResults(settings.load_results),
        limit_s=limit_s,
    )


def read_slots(settings: Settings) -> SlotTable:
    """The configured model slots.

    Raises:
        ModelError: the file or a variable cannot be used.
    """
    return load_slots(
        environment=settings.environ,
        home=settings.home,
        working_directory=settings.working_directory,
    )


def store_options(settings: Settings) -> StoreOptions:
    """Where the database of these settings lies."""
    return StoreOptions(path=settings.database)
