"""The source of a vector beside its failure."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def explained(why: object) -> Iterator[None]:
    """Whatever is raised inside also shows `why`, the source of the vector."""
    try:
        yield
    except Exception as error:
        error.add_note(f"why: {why}")
        raise
