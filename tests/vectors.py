"""The conformance vectors of `tests/cases/`, as pytest parameters."""

import json
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parent / "cases"


def load_vectors(topic: str, *, kind: str | None = None) -> list[Any]:
    """All vectors of `tests/cases/<topic>.json` (of one `kind`), long texts expanded, id as test id."""
    document = json.loads((CASES / f"{topic}.json").read_text(encoding="utf-8"))
    vectors = [expand(vector) for vector in document["vectors"]]
    return [
        pytest.param(vector, id=vector["id"])
        for vector in vectors
        if kind is None or vector.get("kind") == kind
    ]


def expand(value: Any) -> Any:
    """`value` with every `$repeat` and `$join` form replaced by the text it stands for."""
    if isinstance(value, list):
        return [expand(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"$repeat"}:
        text, times = value["$repeat"]
        return expand(text) * times
    if set(value) == {"$join"}:
        return "".join(expand(part) for part in value["$join"])
    return {key: expand(item) for key, item in value.items()}
