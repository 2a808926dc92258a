"""Bounds of the lists: no read of the store is unbounded (design/architecture.md)."""

DEFAULT_LIMIT = 100
MAX_LIMIT = 10_000


def checked_limit(limit: int) -> int:
    """`limit`, which must be 1 to `MAX_LIMIT`.

    Raises:
        ValueError: it is not.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise ValueError(f"A list's limit is {limit!r}; it must be 1 to {MAX_LIMIT}.")
    return limit
