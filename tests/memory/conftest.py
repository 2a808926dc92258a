from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory.sessions import MemorySession


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemorySession]:
    made = MemorySession(tmp_path)
    yield made
    made.store.close()
