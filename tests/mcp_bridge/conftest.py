"""A home with a package for tests of the bridge."""

from pathlib import Path

import pytest

from tests.mcp_bridge.notes import write_notes


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A home with the package `notes`."""
    write_notes(tmp_path / "plugins")
    return tmp_path
