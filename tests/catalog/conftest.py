"""Fixtures of several tests of loading."""

import sys
import threading
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def meeting() -> Iterator[Any]:
    """A module in which an entry's thread and the test meet; nobody waits after the test."""
    module: Any = ModuleType("meeting")
    module.entered, module.gate, module.done = (threading.Event() for _ in range(3))
    module.seen = []
    sys.modules["meeting"] = module
    yield module
    module.gate.set()
    del sys.modules["meeting"]
