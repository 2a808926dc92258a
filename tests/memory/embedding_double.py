"""An embeddings server on a loopback socket that knows a few synonyms."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from covel_host.base.tasks import TaskTracker
from covel_host.memory.embedder import Embedder
from covel_host.memory.hits import MemoryHit
from covel_host.memory.system import MemoryOptions, MemorySystem
from covel_host.models.embeddings import embedding_identity
from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.slots import Slot
from covel_host.store.store import Store
from plugin_sdk.testing import ManualClock
from tests.memory.sessions import FACTS
from tests.models.http_double import Answer, HttpDouble, body, error, http_double
from tests.models.support import make_slot, make_table, sourced

MEANINGS = (("lamp", "lantern", "light"), ("boat", "ship", "vessel"), ("salt", "brine"))
"""Words of equal meaning share an axis."""


def meaning(text: str) -> list[float]:
    words = text.lower().replace(".", " ").split()
    counts = [float(sum(words.count(word) for word in words_of)) for words_of in MEANINGS]
    return [*counts, 0.1]


@dataclass
class Meanings:
    """What the server does; `fails` is asked for each request before it answers."""

    fails: Callable[[list[str]], Answer | None] = lambda _: None
    make: Callable[[str], list[float]] = meaning
    asked: list[list[str]] = field(default_factory=list)
    double: HttpDouble | None = None

    async def answer(self, writer: asyncio.StreamWriter) -> None:
        assert self.double is not None
        texts: list[str] = self.double.requests[-1]["input"]
        self.asked.append(texts)
        failure = self.fails(texts)
        if failure is not None:
            await failure(writer)
            return
        data = [{"index": place, "embedding": self.make(text)} for place, text in enumerate(texts)]
        await body(json.dumps({"object": "list", "model": "m", "data": data}))(writer)

    @property
    def texts(self) -> list[str]:
        """Everything that was sent, in order."""
        return [text for texts in self.asked for text in texts]


def rejecting(word: str) -> Callable[[list[str]], Answer | None]:
    return lambda texts: error(400, "bad input") if any(word in text for text in texts) else None


def slot_at(base_url: str, model: str = "lab/vectors") -> Slot:
    return make_slot(base_url, name="embed", tag=sourced("embedding"), model=sourced(model))


@dataclass
class Searching:
    """A memory with vectors, in one event loop."""

    system: MemorySystem
    store: Store
    embedder: Embedder
    tasks: TaskTracker
    meanings: Meanings
    clock: ManualClock

    def restart(self) -> None:
        """A memory that knows nothing yet, over the same store and model."""
        self.system = MemorySystem(self.store, embedder=self.embedder, tasks=self.tasks)

    async def search(self, query: str, *, session_id: str = "s1", **wanted: Any) -> list[MemoryHit]:
        return await self.system.search(session_id, query, namespaces=(FACTS,), **wanted)

    async def texts(self, query: str, **wanted: Any) -> list[str]:
        return [hit.text for hit in await self.search(query, **wanted)]

    async def settled(self) -> None:
        """Until everything that is under way has been given its vector."""
        while self.tasks.pending:
            await asyncio.sleep(0.001)


@asynccontextmanager
async def searching(
    store: Store, meanings: Meanings | None = None, *, model: str = "lab/vectors", **limits: Any
) -> AsyncIterator[Searching]:
    meanings = meanings or Meanings()
    clock, tasks = ManualClock(), TaskTracker()
    async with http_double(meanings.answer) as double:
        meanings.double = double
        slot = slot_at(double.base_url, model)
        gateway = ModelGateway(GatewayOptions(), make_table(slot))
        embedder = Embedder(gateway, embedding_identity(slot), clock=clock)
        system = MemorySystem(store, MemoryOptions(**limits), embedder=embedder, tasks=tasks)
        try:
            yield Searching(system, store, embedder, tasks, meanings, clock)
        finally:
            await tasks.close()
            await gateway.aclose()
