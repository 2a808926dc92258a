"""The catalog that executions start from: loaded as needed, replaced in one assignment."""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Protocol

from covel_host.base.clock import Clock, SystemClock
from covel_host.base.tasks import TaskTracker
from covel_host.catalog.catalog import Catalog, PackageState
from covel_host.catalog.generation import Generation
from covel_host.catalog.leases import GenerationUses, Lease
from covel_host.catalog.registrar import CLEAN_UP_LIMIT_S
from covel_host.diagnostics.diagnostic import Diagnostic

RETRY_AFTER_S: Final = 30.0
"""How long a package that failed to load is left alone (spec/manifest.md 9.1)."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PackageLook:
    """What a look into the plugin folders says of one package; `state` is `None` where it is gone.

    `diagnostics` are those of discovery, such as a second package of this ID that is hidden.
    """

    state: PackageState | None
    diagnostics: tuple[Diagnostic, ...] = ()


class PackageLoader(Protocol):
    """Reads packages and loads them; `building.CatalogLoader` is the host's."""

    async def look(self, plugin_id: str) -> PackageLook:
        """The package as it lies in the plugin folders now, read and not loaded."""
        ...

    async def load(self, state: PackageState, *, number: int) -> PackageState:
        """`state` as it is after loading: with generation `number`, or with what went wrong."""
        ...

    def may_run(self, state: PackageState) -> bool:
        """Whether the code of a loaded package is still allowed to run."""
        ...

    def arranged(self, catalog: Catalog) -> Catalog:
        """`catalog` with its packages in order of discovery."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReloadOutcome:
    """What came of reading and loading a package anew.

    `before` is what the catalog held, `after` what the folder gave; `None` where there is no such
    package. `is_swapped` says whether a new generation serves from now on. `diagnostics` are those
    of `after` and of discovery; `duration_ms` is the time from the call to the swap.
    """

    plugin_id: str
    before: PackageState | None
    after: PackageState | None
    is_swapped: bool
    diagnostics: tuple[Diagnostic, ...]
    duration_ms: int


class CatalogHolder:
    """The current catalog of a host, used from one event loop and closed with `close`.

    First loads and reloads of one package never overlap; those of other packages, and everything
    else in the host, go on meanwhile.
    """

    def __init__(
        self, catalog: Catalog, loader: PackageLoader, *, clock: Clock | None = None
    ) -> None:
        self._current = catalog
        self._loader = loader
        self._clock = clock or SystemClock()
        self._uses = GenerationUses(self._end)
        self._tasks = TaskTracker()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._numbers = {each.plugin_id: each.number for each in catalog.generations()}
        self._failed_at_s: dict[str, float] = {}
        self._closed = False

    @property
    def current(self) -> Catalog:
        """The catalog that the next execution starts from."""
        return self._current

    def lease(self) -> Lease:
        """The current catalog, to hold from the start of an execution to its end.

        Its generations stay usable, also when they are replaced meanwhile: a replaced one ends
        with its last lease (spec/decisions.md 4, a catalog).
        """
        return Lease(self._current, self._uses)

    async def need(self, plugin_ids: Iterable[str]) -> Catalog:
        """The current catalog once those of `plugin_ids` that may run are loaded.

        Unknown IDs are passed over. One that was not loaded before for a reason is read anew. A
        package that failed is not tried again for `RETRY_AFTER_S` (spec/manifest.md 9.1): the
        catalog says what is wrong, and `reload` tries at once. One whose code is no longer allowed
        to run leaves the executions that hold it, and serves no other.
        """
        for plugin_id in dict.fromkeys(plugin_ids):
            if self._to_load(plugin_id) is not None:
                await self._first_load(plugin_id)
        return self._current

    async def reload(self, plugin_id: str) -> ReloadOutcome:
        """Read the package's folder anew and load it beside the running generation.

        A good one is swapped in. A bad one leaves the last good generation where it is; without
        one, the catalog takes what came of it. A package whose folder is gone, disabled or no
        package any more leaves the catalog.
        """
        started = time.perf_counter()
        async with self._locks[plugin_id]:
            look = await self._loader.look(plugin_id)
            after = None if look.state is None else await self._load(look.state)
            before = self._current.packages.get(plugin_id)
            is_good = after is not None and after.generation is not None
            is_kept = before is not None and before.generation is not None and not is_good
            if after is None or not is_kept:
                self._publish(plugin_id, after, look.diagnostics)
        return ReloadOutcome(
            plugin_id=plugin_id,
            before=before,
            after=after,
            is_swapped=is_good and not self._closed,
            diagnostics=(*look.diagnostics, *(() if after is None else after.diagnostics)),
            duration_ms=round((time.perf_counter() - started) * 1000),
        )

    async def close(self) -> None:
        """End every generation, in reverse order of discovery; may be called again.

        The executions are to be over before: what they still lease ends all the same.
        """
        self._closed = True
        closing, self._current = self._current, Catalog(diagnostics=self._current.diagnostics)
        self._uses.retire_all()
        await closing.close()
        await self._tasks.close(budget_s=CLEAN_UP_LIMIT_S)

    async def _first_load(self, plugin_id: str) -> None:
        async with self._locks[plugin_id]:
            # Another caller may have loaded it while this one waited.
            state = self._to_load(plugin_id)
            if state is None:
                return
            if state.status == "discovered":
                self._publish(plugin_id, await self._load(state))
                return
            look = await self._loader.look(plugin_id)
            after = None if look.state is None else await self._load(look.state)
            self._publish(plugin_id, after, look.diagnostics)

    def _to_load(self, plugin_id: str) -> PackageState | None:
        state = self._current.packages.get(plugin_id)
        if state is None:
            return None
        if state.generation is not None:
            return None if self._loader.may_run(state) else state
        failed_at_s = self._failed_at_s.get(plugin_id)
        if failed_at_s is not None and self._clock.monotonic() - failed_at_s < RETRY_AFTER_S:
            return None
        return state

    async def _load(self, state: PackageState) -> PackageState:
        plugin_id = state.plugin_id
        number = self._numbers.get(plugin_id, 0) + 1
        loaded = await self._loader.load(state, number=number)
        self._failed_at_s.pop(plugin_id, None)
        if loaded.generation is not None:
            self._numbers[plugin_id] = number
        elif loaded.status == "error":
            self._failed_at_s[plugin_id] = self._clock.monotonic()
        return loaded

    def _publish(
        self,
        plugin_id: str,
        state: PackageState | None,
        found: tuple[Diagnostic, ...] | None = None,
    ) -> None:
        """Replace the catalog; `found` are discovery's problems with the package, where known."""
        if self._closed:
            if state is not None and state.generation is not None:
                self._uses.retire(state.generation)
            return
        packages = dict(self._current.packages)
        before = packages.pop(plugin_id, None) if state is None else packages.get(plugin_id)
        if state is not None:
            packages[plugin_id] = state
        others = self._current.diagnostics
        if found is not None:
            others = (*(each for each in others if each.plugin != plugin_id), *found)
        catalog = replace(self._current, packages=packages, diagnostics=others)
        is_new = before is None and state is not None
        self._current = self._loader.arranged(catalog) if is_new else catalog
        if before is not None and before.generation is not None:
            self._uses.retire(before.generation)

    def _end(self, generation: Generation) -> None:
        name = f"end {generation.plugin_id} {generation.number}"
        self._tasks.start(_ended(generation), name=name, stoppable=False)


async def _ended(generation: Generation) -> None:
    try:
        await generation.dispose()
    except Exception:
        _LOG.exception("Generation %d of %r did not end.", generation.number, generation.plugin_id)
