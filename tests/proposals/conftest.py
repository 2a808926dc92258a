"""A store with one session."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from covel_host.store.store import Store
from tests.proposals.builders import with_session
from tests.store.builders import options


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = with_session(Store.open(options(tmp_path)))
    yield opened
    opened.close()
