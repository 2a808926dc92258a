"""The host: opens every room with its options, runs requests, closes everything."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

from covel_host.base.clock import SystemClock
from covel_host.base.ids import IdSource
from covel_host.base.random_streams import RandomSource
from covel_host.base.tasks import TaskTracker
from covel_host.catalog.building import load_into, read_catalog
from covel_host.catalog.catalog import Catalog
from covel_host.catalog.discovery import discover
from covel_host.catalog.load_results import LoadResults
from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.selector import ModelSelector
from covel_host.models.slot_file import load_slots
from covel_host.models.slots import SlotTable
from covel_host.settings import Settings
from covel_host.store.execution_lock import ExecutionLock
from covel_host.store.options import StoreOptions
from covel_host.store.store import Store
from covel_host.tools.builtin.installed import BUILTIN_TOOLS
from covel_host.tools.executor import ToolExecutor
from covel_host.tools.registry import ToolRegistry
from covel_host.turn.admission import ManualRequest
from covel_host.turn.execution import ExecutionReport, run_manual
from covel_host.turn.ports import Observer, SilentObserver, TurnPorts


def open_catalog(settings: Settings) -> Catalog:
    """Every package of the plugin folders, read; no code is run and no store is opened."""
    return read_catalog(discover(settings.folders))


async def load_catalog(catalog: Catalog, settings: Settings, plugin_ids: Iterable[str]) -> Catalog:
    """`catalog` with those of `plugin_ids` loaded whose code may run."""
    return await load_into(
        catalog,
        plugin_ids,
        trust=settings.trust,
        results=LoadResults(settings.load_results),
    )


def read_slots(settings: Settings) -> SlotTable:
    """The configured model slots.

    Raises:
        ModelError: the file or a variable cannot be used.
    """
    return load_slots(
        environment=settings.environ, home=settings.home, working_directory=Path.cwd()
    )


def store_options(settings: Settings) -> StoreOptions:
    """Where the database of these settings lies."""
    return StoreOptions(path=settings.database)


class Host:
    """An opened host; made with `Host.open`, used from one event loop, closed with `close`."""

    def __init__(self, settings: Settings, catalog: Catalog, ports: TurnPorts) -> None:
        self.settings = settings
        self.catalog = catalog
        self._ports = ports

    @classmethod
    async def open(
        cls,
        settings: Settings,
        *,
        load: Iterable[str],
        selector: ModelSelector | None = None,
        catalog: Catalog | None = None,
    ) -> "Host":
        """A host with the packages `load` loaded, as far as their code may run.

        A package that cannot be loaded stops nothing: the catalog says why. `selector` is what
        answers model calls in place of the configured slots.

        Raises:
            ModelError: the model settings cannot be used.
            StoreError: the database cannot be used.
        """
        slots = read_slots(settings)
        gateway = ModelGateway(
            GatewayOptions.from_environment(settings.environ), slots, selector=selector
        )
        loaded = await load_catalog(catalog or open_catalog(settings), settings, load)
        store = await asyncio.to_thread(Store.open, store_options(settings))
        return cls(settings, loaded, _ports(settings, loaded, store, gateway, slots))

    @property
    def offline_note(self) -> str | None:
        """What to tell a person when the offline model answers; else `None`."""
        return self._ports.gateway.offline_note

    async def run(
        self, request: ManualRequest, *, observer: Observer | None = None
    ) -> ExecutionReport:
        """Run one runtime by hand and commit its turn; see `turn.execution.run_manual`."""
        return await run_manual(request, self._ports, observer or SilentObserver())

    async def close(self) -> None:
        """Stop the executor, end the packages, close models and store, in this order.

        What does not end within its budget is left to the end of the process.
        """
        ports = self._ports
        await ports.executor.close()
        await ports.tasks.close()
        await self.catalog.close()
        await ports.gateway.aclose()
        await asyncio.to_thread(ports.store.close)


def _ports(
    settings: Settings, catalog: Catalog, store: Store, gateway: ModelGateway, slots: SlotTable
) -> TurnPorts:
    clock = SystemClock()
    randoms = RandomSource(settings.random_seed)
    registry = ToolRegistry(catalog, builtins=BUILTIN_TOOLS)
    keys = (slot.key.value for slot in slots.slots.values())
    return TurnPorts(
        store=store,
        lock=ExecutionLock(settings.database, clock=clock),
        catalog=catalog,
        gateway=gateway,
        registry=registry,
        executor=ToolExecutor(registry, clock=clock),
        clock=clock,
        randoms=randoms,
        # IDs never repeat with the seed: two runs of one seed are two sessions.
        ids=IdSource(RandomSource(), clock),
        tasks=TaskTracker(),
        locale=settings.locale,
        instruction_environ=dict(settings.environ),
        secrets=tuple(key for key in keys if key),
    )
