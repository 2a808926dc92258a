"""The phase that a session begins in (spec/execution.md 1.1)."""

from collections.abc import Iterable, Iterator

from covel_host.catalog.catalog import Catalog
from covel_host.store.records import SessionPhase


def first_phase(catalog: Catalog, packages: Iterable[str]) -> SessionPhase:
    """`setup` where one of the packages has a setup runtime, else `playing`."""
    return "setup" if any(True for _ in setup_runtime_ids(catalog, packages)) else "playing"


def setup_runtime_ids(catalog: Catalog, packages: Iterable[str]) -> Iterator[str]:
    """The IDs of the setup runtimes of `packages`, as far as those are installed."""
    for plugin_id in packages:
        state = catalog.packages.get(plugin_id)
        for runtime in () if state is None else state.reading.runtimes:
            manifest = runtime.manifest
            if manifest is not None and manifest.schedule.stage == "setup":
                yield runtime.runtime_id
