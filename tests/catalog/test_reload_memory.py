"""Two hundred reloads of an entry that uses everything which is known to keep modules alive."""

import asyncio
import gc
import logging
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from covel_host.catalog.building import CatalogLoader, read_catalog
from covel_host.catalog.catalog import Catalog
from covel_host.catalog.discovery import discover
from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.holder import CatalogHolder
from covel_host.catalog.load_results import LoadResults
from covel_host.catalog.trust import TrustPolicy
from tests.catalog.builders import leftovers, tools_manifest, write_package

RELOADS = 200

ENTRY = '''
from __future__ import annotations

import abc
import contextvars
import dataclasses
import enum
import functools
import logging
import threading
import typing
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, Field, TypeAdapter

from plugin_sdk import dataset, hookimpl, tool
from plugin_sdk.context import ToolContext

from ..shapes.notes import Note


class Sentinel:
    def __init__(self): self.ballast = bytearray(20_000)

SENTINEL = Sentinel()
LOG = logging.getLogger(__name__)
LOG.addHandler(logging.NullHandler())
LOG.getChild("child").debug("loading")
T = TypeVar("T")
K = TypeVar("K", bound=Note)


class Page(BaseModel, Generic[T]):
    items: list[T]
    after: Page[T] | None = None


class Book(BaseModel, Generic[K, T]):
    pages: dict[str, Page[K]]
    cover: T | None = None


class Shade(enum.Enum):
    DARK = "dark"


class Shelf(abc.ABC):
    @abc.abstractmethod
    def held(self): ...


class Oak(Shelf):
    def held(self): return SENTINEL


@dataclasses.dataclass(frozen=True)
class Leaf:
    note: Note


ADAPTER = TypeAdapter(Book[Note, Shade])
Alias = typing.Dict[str, typing.List[Leaf]]
typing.get_type_hints(Leaf)
CURRENT = contextvars.ContextVar("current", default=SENTINEL)
CURRENT.set(SENTINEL)
LOCAL = threading.local()
LOCAL.value = SENTINEL
POOL = ThreadPoolExecutor(1, thread_name_prefix="moss")
assert POOL.submit(lambda: SENTINEL).result() is SENTINEL
STOP = threading.Event()


@functools.lru_cache
def cached(key): return SENTINEL


@functools.singledispatch
def shown(value): return SENTINEL


@shown.register(Leaf)
def _(value): return SENTINEL


cached(1)
isinstance(Oak(), Shelf)


@tool(parameters=Book[Note, Shade])
async def keep(ctx: ToolContext, book: Book[Note, Shade]) -> Page[Note]:
    """Keeps a book."""
    return next(iter(book.pages.values()))


@tool
def look(ctx: ToolContext, key: Annotated[str, Field(title="Key")], n: Note | None = None) -> int:
    """Looks."""
    return 1


@hookimpl
def register_tools(covel):
    return [keep, look]


@hookimpl
def on_load(covel):
    thread = threading.Thread(target=STOP.wait, name="moss waits")
    thread.start()
    covel.on_dispose(thread.join)
    covel.on_dispose(STOP.set)


@hookimpl
def on_unload():
    POOL.shutdown()
'''
HANDLER = "from ...server.index import SENTINEL\n\nasync def handle(ctx):\n    return SENTINEL\n"
RUNTIME = "---\nschedule:\n  trigger: {type: manual}\nfunction:\n  handler: ./handler.py\n---\n"
NOTES = "from pydantic import BaseModel\n\nclass Note(BaseModel):\n    text: str\n"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    write_package(
        tmp_path / "plugins" / "moss-ledger",
        {
            "server/index.py": ENTRY,
            "shapes/notes.py": NOTES,
            "runtimes/count/RUNTIME.md": RUNTIME,
            "runtimes/count/handler.py": HANDLER,
        },
        manifest=tools_manifest("keep", "look"),
    )
    yield tmp_path
    assert leftovers("moss-ledger") == []


def sentinel_of(catalog: Catalog) -> "weakref.ref[object]":
    """A weak reference into the globals of the entry; its tools are used once before."""
    keep: Any = catalog.tools("moss-ledger")["keep"]
    keep.parse('{"pages": {"one": {"items": [{"text": "moss"}]}}, "cover": "dark"}')
    return weakref.ref(keep.function.__globals__["SENTINEL"])


async def settled() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        await asyncio.wait(others, timeout=30)


async def reloaded(holder: CatalogHolder, times: int) -> list["weakref.ref[object]"]:
    """The sentinels of the generations that were replaced, each while an execution leased it."""
    sentinels = []
    for _ in range(times):
        with holder.lease() as lease:
            sentinels.append(sentinel_of(lease.catalog))
            outcome = await holder.reload("moss-ledger")
            assert outcome.is_swapped, outcome.diagnostics
        del lease, outcome
        await settled()
    return sentinels


def test_two_hundred_reloads_leave_no_old_module_and_no_memory(folder: Path) -> None:
    folders = [PluginFolder(folder / "plugins", "builtin")]
    loader = CatalogLoader(
        trust=TrustPolicy(), results=LoadResults(folder / "loads.json"), folders=folders
    )

    async def run() -> None:
        holder = CatalogHolder(read_catalog(discover(folders)), loader)
        await holder.need(["moss-ledger"])
        counts = []
        for _ in range(2):
            sentinels = await reloaded(holder, RELOADS // 2)
            gc.collect()
            alive = sum(sentinel() is not None for sentinel in sentinels)
            assert alive == 0, f"{alive} of {len(sentinels)} old generations are alive"
            counts.append(len(gc.get_objects()))
        # Each generation has thousands of objects: one that stayed would show.
        assert counts[1] - counts[0] < 1_000, counts
        modules = {name.split(".")[1] for name in sys.modules if name.startswith("covel_packages.")}
        assert len(modules) == 1
        await holder.close()

    asyncio.run(run())
    assert [each.name for each in threading.enumerate() if each.name.startswith("moss")] == []
    assert [name for name in logging.root.manager.loggerDict if "moss_ledger" in name] == []
