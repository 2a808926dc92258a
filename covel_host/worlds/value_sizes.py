"""How much a value of a pack holds, once everything in it is written out."""

from plugin_sdk.values import JsonValue


def text_size(value: JsonValue, *, limit: int) -> int:
    """The characters of all texts and keys in `value`; beyond `limit` some number above it.

    What aliases share is measured once and counted each time.
    """
    known: dict[int, int] = {}

    def measured(part: JsonValue) -> int:
        if isinstance(part, str):
            return len(part)
        if not isinstance(part, (dict, list)):
            return 0
        size = known.get(id(part))
        if size is None:
            keys = sum(map(len, part)) if isinstance(part, dict) else 0
            items = part.values() if isinstance(part, dict) else part
            # A bound keeps the numbers small: shares of shares double at each level.
            size = known[id(part)] = min(limit + 1, keys + sum(map(measured, items)))
        return size

    return measured(value)


def holds_more(value: JsonValue, limit: int) -> bool:
    """Whether `value` is made of more than `limit` values, each member and item counted."""
    left, waiting = limit, [value]
    while waiting:
        part = waiting.pop()
        left -= 1
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
        if left < len(waiting):
            return True
    return False
