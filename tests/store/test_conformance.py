"""The SQLite store keeps the store contract."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from covel_host.store.store import Store
from tests.store.builders import options
from tests.store.conformance import StoreConformance
from tests.store.conformance_clock import ClockConformance


class TestSqliteStore(StoreConformance, ClockConformance):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        opened = Store.open(options(tmp_path))
        yield opened
        opened.close()
