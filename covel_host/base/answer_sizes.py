"""How large what package code answers may be.

The texts leave it open. A data set's list holds up to 50 records of 256 KiB, and code reads the
whole content of a tool, so the bound lies above that; it keeps one answer from filling memory and
store.
"""

from typing import Final

import orjson

from covel_host.base.json_text import dump_json
from plugin_sdk.values import JsonValue

MAX_ANSWER_BYTES: Final = 16 * 1024 * 1024
"""The most bytes that the answer of a tool, service or action may have as compact JSON."""


def size_problem(value: JsonValue) -> str | None:
    """A clause that says that a checked value is too large, None where it is not."""
    try:
        size_bytes = len(orjson.dumps(value))
    except orjson.JSONEncodeError:
        # Integers beyond 64 bits and deep nesting.
        size_bytes = len(dump_json(value).encode())
    return None if size_bytes <= MAX_ANSWER_BYTES else _problem(size_bytes)


def text_size_problem(text: str) -> str | None:
    """The same for a value's JSON text."""
    # A character has at most four bytes.
    if len(text) * 4 <= MAX_ANSWER_BYTES:
        return None
    size_bytes = len(text.encode())
    return None if size_bytes <= MAX_ANSWER_BYTES else _problem(size_bytes)


def _problem(size_bytes: int) -> str:
    return f"it has {size_bytes:,} bytes as JSON, and may have {MAX_ANSWER_BYTES:,}"
