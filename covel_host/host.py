"""The host: opens every room with its options, runs requests, closes everything."""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import AsyncExitStack

from covel_host.base.clock import SystemClock
from covel_host.base.ids import IdSource
from covel_host.base.random_streams import RandomSource
from covel_host.base.tasks import TaskTracker
from covel_host.catalog.building import load_into, read_catalog
from covel_host.catalog.catalog import Catalog
from covel_host.catalog.discovery import discover
from covel_host.catalog.load_results import LoadResults
from covel_host.catalog.loading import ENTRY_LIMIT_S
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
from covel_host.turn.session_locks import SessionLocks

CLOSE_BUDGET_S = 5.0
"""How long closing waits for the runs, and then for the tools, that still go on."""

_LOG = logging.getLogger(__name__)


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


class Host:
    """An opened host; made with `Host.open`, used from one event loop, closed with `close`.

    `ports` are the opened rooms that executions work with.
    """

    def __init__(self, settings: Settings, ports: TurnPorts, resources: AsyncExitStack) -> None:
        self.settings = settings
        self.ports = ports
        self._resources = resources

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
        answers model calls in place of the configured slots. What was opened before an error is
        closed again.

        Raises:
            ModelError: the model settings cannot be used.
            StoreError: the database cannot be used.
        """
        async with AsyncExitStack() as opened:
            slots = read_slots(settings)
            gateway = ModelGateway(
                GatewayOptions.from_environment(settings.environ), slots, selector=selector
            )
            # What is used by others is closed after them: the last one first.
            store = await asyncio.to_thread(Store.open, store_options(settings))
            opened.push_async_callback(asyncio.to_thread, store.close)
            opened.push_async_callback(gateway.aclose)
            loaded = await load_catalog(catalog or open_catalog(settings), settings, load)
            opened.push_async_callback(loaded.close)
            ports = _ports(settings, loaded, store, gateway, slots)
            return cls(settings, ports, opened.pop_all())

    @property
    def catalog(self) -> Catalog:
        """The packages this host knows."""
        return self.ports.catalog

    @property
    def offline_note(self) -> str | None:
        """What to tell a person when the offline model answers; else `None`."""
        return self.ports.gateway.offline_note

    async def run(
        self, request: ManualRequest, *, observer: Observer | None = None
    ) -> ExecutionReport:
        """Run one runtime by hand and commit its turn; see `turn.execution.run_manual`."""
        return await run_manual(request, self.ports, observer or SilentObserver())

    async def close(self) -> None:
        """End the runs and tools, then the packages, models and store; may be called again.

        A run under way is kept as failed. A step that fails does not keep the others from being
        closed; its error is raised at the end. While a tool or a run goes on beyond its budget,
        what it uses stays open: until the next `close`, or the end of the process
        (seed: ToolExecutor, 关闭).
        """
        executor, tasks = self.ports.executor, self.ports.tasks
        await tasks.close(budget_s=CLOSE_BUDGET_S)
        left = await executor.close(budget_s=CLOSE_BUDGET_S) + tasks.pending
        if left:
            _LOG.warning("Still running, so the store stays open: %s.", ", ".join(left))
            return
        await self._resources.aclose()


def _ports(
    settings: Settings, catalog: Catalog, store: Store, gateway: ModelGateway, slots: SlotTable
) -> TurnPorts:
    clock = SystemClock()
    registry = ToolRegistry(catalog, builtins=BUILTIN_TOOLS)
    keys = (slot.key.value for slot in slots.slots.values())
    return TurnPorts(
        store=store,
        lock=ExecutionLock(settings.database, clock=clock),
        session_locks=SessionLocks(),
        catalog=catalog,
        gateway=gateway,
        registry=registry,
        executor=ToolExecutor(registry, clock=clock),
        clock=clock,
        randoms=RandomSource(settings.random_seed),
        # IDs never repeat with the seed: two runs of one seed are two sessions.
        ids=IdSource(RandomSource(), clock),
        tasks=TaskTracker(),
        locale=settings.locale,
        instruction_environ=settings.environ,
        secrets=tuple(key for key in keys if key),
    )
