"""What loading an entry costs beside compiling and running the same modules bare."""

import asyncio
import gc
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from benchmarks.rounds import table, verdict
from covel_host.catalog.generation import Generation
from covel_host.catalog.loading import load_package
from covel_host.catalog.sources import PackageSources, read_sources
from covel_host.manifest.package import read_package
from covel_host.manifest.reading import PackageReading

PACKAGES = 100
ROUNDS = 9
GOAL_RATIO = 1.6
SETTING = (
    f"{PACKAGES} packages, each an entry and two modules of tools, three tools in all; files are "
    "read before. Floor: `compile` and `exec` of the same modules, their decorators included, "
    "without anything around it. Loading adds the private namespace, the thread, the registration "
    "hooks, the comparison with the manifest and the checks of the files it names."
)
MANIFEST = "---\ndescription: A test\ncontributes:\n  tools: [look, count, keep]\n---\n"
TOOLS = '''"""Reads the ledger."""

from typing import Annotated

from pydantic import Field

from plugin_sdk import tool
from plugin_sdk.context import ToolContext


@tool(read_only=True, idempotent=True)
async def look(ctx: ToolContext, key: Annotated[str, Field(description="The key")]) -> object:
    """Read one saved note."""
    return await ctx.store.get_plugin_data("notes", key)


@tool(read_only=True)
def count(ctx: ToolContext, limit: Annotated[int, Field(ge=1, le=50)] = 20) -> int:
    """Count the notes."""
    return limit
'''
WRITES = '''"""Writes the ledger."""

from typing import Annotated, Literal

from pydantic import Field

from plugin_sdk import tool
from plugin_sdk.context import ToolContext


@tool
async def keep(
    ctx: ToolContext,
    text: Annotated[str, Field(min_length=1)],
    mood: Literal["calm", "wild"] = "calm",
    tags: list[str] | None = None,
) -> object:
    """Keep one note."""
    return {"text": text, "mood": mood, "tags": tags}
'''
ENTRY = '''"""The entry."""

from plugin_sdk import hookimpl

from .tools import count, look
from .writes import keep


@hookimpl
def register_tools():
    return [look, count, keep]
'''
MODULES = {"server/tools.py": TOOLS, "server/writes.py": WRITES, "server/index.py": ENTRY}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A package as it is handed to loading."""

    reading: PackageReading
    sources: PackageSources


def report() -> str:
    """The section of RESULTS.md."""
    with tempfile.TemporaryDirectory() as folder:
        prepared = [_package(Path(folder) / f"package-{number}") for number in range(PACKAGES)]
        floor, ours = asyncio.run(_measured(prepared))
    ratio = ours / floor
    rows: list[list[object]] = [
        ["compile and exec (floor)", f"{floor * 1000:.1f}", "1.0", "", ""],
        [
            "load_package",
            f"{ours * 1000:.1f}",
            f"{ratio:.2f}",
            GOAL_RATIO,
            verdict(ratio, GOAL_RATIO),
        ],
    ]
    head = [f"{PACKAGES} entries", "ms", "ratio", "goal", ""]
    return "\n".join(["## Loading entries", "", SETTING, "", table(head, rows)])


def _package(root: Path) -> Prepared:
    for relative, text in {"PLUGIN.md": MANIFEST, **MODULES}.items():
        path = root / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Prepared(read_package(root), read_sources(root))


async def _measured(prepared: Sequence[Prepared]) -> tuple[float, float]:
    """Median seconds of the floor and of loading over the rounds; one more warms up.

    The two alternate package by package, so that noise meets both.
    """
    floors, loads = [], []
    for _ in range(ROUNDS + 1):
        # What a round leaves behind must not be swept up in the next one's time.
        gc.collect()
        floor = load = 0.0
        loaded = []
        with _no_module_left():
            for number, each in enumerate(prepared):
                started = time.perf_counter()
                _execute(each, number)
                between = time.perf_counter()
                loaded.append(await load_package(each.reading, each.sources, number=1))
                load += time.perf_counter() - between
                floor += between - started
        floors.append(floor)
        loads.append(load)
        for outcome in loaded:
            await _generation(outcome.generation).dispose()
    return statistics.median(floors[1:]), statistics.median(loads[1:])


def _generation(found: Generation | None) -> Generation:
    if found is None or len(found.tools) != 3:
        raise RuntimeError("A package of the benchmark was not loaded.")
    return found


def _execute(prepared: Prepared, number: int) -> None:
    """Compile and run the modules of a package, those first that the entry imports."""
    top = f"floor_{number}"
    for name in (top, f"{top}.server"):
        package = ModuleType(name)
        package.__path__ = []
        sys.modules[name] = package
    for relative in MODULES:
        name = f"{top}.{relative.removesuffix('.py').replace('/', '.')}"
        module = ModuleType(name)
        module.__package__ = f"{top}.server"
        sys.modules[name] = module
        code = compile(prepared.sources.modules[relative], relative, "exec", dont_inherit=True)
        exec(code, module.__dict__)


@contextmanager
def _no_module_left() -> Iterator[None]:
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.startswith("floor_")]:
            del sys.modules[name]
