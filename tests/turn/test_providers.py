"""Who provides the dimensions of a session."""

from pathlib import Path

import pytest
import yaml

from covel_host.catalog.building import read_catalog
from covel_host.catalog.discovery import discover
from covel_host.catalog.folders import PluginFolder
from covel_host.turn.providers import dimension_provider
from tests.store.builders import session


@pytest.mark.parametrize(
    ("packages", "active", "provider"),
    [
        ({"a": []}, ["a"], None),
        ({"a": ["world.dimensions@1"]}, ["a"], "a"),
        ({"a": ["world.dimensions@1"], "b": []}, ["b"], None),
        ({"a": ["world.dimensions@2"]}, ["a"], None),
        ({"a": ["world.dimensions@1"], "b": ["world.dimensions@1"]}, ["a", "b"], None),
        ({"a": "default", "b": ["world.dimensions@1"]}, ["a", "b"], "b"),
        ({"a": "default", "b": []}, ["a", "b"], "a"),
        ({}, ["gone"], None),
    ],
)
def test_the_one_provider_among_the_sessions_packages(
    tmp_path: Path, packages: dict[str, object], active: list[str], provider: str | None
) -> None:
    for name, provides in packages.items():
        if provides == "default":
            provides = [{"contract": "world.dimensions@1", "default": True}]
        folder = tmp_path / name
        folder.mkdir()
        front = yaml.safe_dump({"description": "A package.", "provides": provides})
        (folder / "PLUGIN.md").write_text(f"---\n{front}---\n")
    catalog = read_catalog(discover([PluginFolder(tmp_path, "community")]))
    found = dimension_provider(catalog, session(active_packages=tuple(active)))
    assert found == provider
