"""Every conformance vector, one test each; a failure prints the vector's `why`."""

import importlib
from typing import Any

import pytest

from tests.vector_adapters.explaining import explained
from tests.vectors import read_vectors, vector_files, vectors_folder, with_ids

FOLDER = vectors_folder()
VECTORS = [
    param
    for topic, file in vector_files(FOLDER).items()
    for param in with_ids(topic, read_vectors(file))
]


@pytest.mark.parametrize(("topic", "vector"), VECTORS)
def test_vector(topic: str, vector: dict[str, Any]) -> None:
    checks = importlib.import_module(f"tests.vector_adapters.{topic}").CHECKS
    kind = vector.get("kind") if None not in checks else None
    with explained(vector.get("why")):
        assert kind in checks, f"the kind {kind!r} is none of {sorted(checks)}"
        checks[kind](vector)
