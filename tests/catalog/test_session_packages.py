"""What the resolver reads of a package, taken from its manifest."""

from pathlib import Path

from covel_host.catalog.resolver_types import ImplementedPoint, Provided, SessionPackage
from covel_host.catalog.session_packages import session_package
from covel_host.manifest.package import read_package

MANIFEST = """\
---
description: One of several.
kind: core
provides: [ink@1, { contract: paper@2, default: true }]
requires: [pen@1]
conflicts: [sand@1]
contributes:
  extensions:
    - { point: ui.slot@1, id: cast, slot: stage.cast@1 }
  events:
    - { topic: ink.dried, schema: ./ink.json, description: It dried. }
  prompt:
    - { id: tone, position: system, content: Write plainly. }
---
"""


def test_a_manifest_becomes_what_the_resolver_reads(tmp_path: Path) -> None:
    root = tmp_path / "ink-pot"
    root.mkdir()
    (root / "PLUGIN.md").write_text(MANIFEST)
    made = session_package(read_package(root), source="community", is_authorized=True)
    assert made == SessionPackage(
        plugin_id="ink-pot",
        kind="core",
        source="community",
        is_authorized=True,
        provides=(Provided("ink@1"), Provided("paper@2", is_default=True)),
        requires=("pen@1",),
        conflicts=("sand@1",),
        extensions=(ImplementedPoint("ui.slot@1", "cast", "stage.cast@1"),),
        topics=("ink.dried",),
        has_static_prompt=True,
    )


def test_a_manifest_that_cannot_be_read_makes_nothing(tmp_path: Path) -> None:
    (tmp_path / "PLUGIN.md").write_text("no frontmatter\n")
    assert session_package(read_package(tmp_path), source="builtin", is_authorized=False) is None
