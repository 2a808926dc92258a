"""Who still uses which generation: leases counted per generation, never per catalog."""

from collections.abc import Callable
from types import TracebackType

from covel_host.catalog.catalog import Catalog
from covel_host.catalog.generation import Generation


class GenerationUses:
    """The leases on each generation, and the replaced generations that wait for their last one.

    `end` is called once per replaced generation, in the event loop's thread, when nobody holds it.
    """

    def __init__(self, end: Callable[[Generation], None]) -> None:
        self._end = end
        self._counts: dict[int, int] = {}
        self._retired: dict[int, Generation] = {}

    def take(self, catalog: Catalog) -> None:
        """Count one more lease on each generation of `catalog`."""
        for generation in catalog.generations():
            self._counts[id(generation)] = self._counts.get(id(generation), 0) + 1

    def give_back(self, catalog: Catalog) -> None:
        """Count one lease less on each; the last one on a replaced generation ends it."""
        for generation in catalog.generations():
            left = self._counts.pop(id(generation)) - 1
            if left:
                self._counts[id(generation)] = left
            elif self._retired.pop(id(generation), None) is not None:
                self._end(generation)

    def retire(self, generation: Generation) -> None:
        """The generation was replaced: end it now, or with the last lease on it."""
        if id(generation) in self._counts:
            self._retired[id(generation)] = generation
        else:
            self._end(generation)

    def retire_all(self) -> None:
        """End the replaced generations now, whoever holds them."""
        while self._retired:
            self._end(self._retired.pop(next(iter(self._retired))))


class Lease:
    """A catalog held by one execution from start to end; a context manager.

    `catalog` never changes. Releasing twice counts once.
    """

    def __init__(self, catalog: Catalog, uses: GenerationUses) -> None:
        self.catalog = catalog
        self._uses: GenerationUses | None = uses
        uses.take(catalog)

    def release(self) -> None:
        """Give the generations back; those that were replaced and nobody else holds end."""
        uses, self._uses = self._uses, None
        if uses is not None:
            uses.give_back(self.catalog)

    def __enter__(self) -> "Lease":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()
