"""The declared events of a generation, with their payload schemas compiled."""

import asyncio
import json
from pathlib import Path
from typing import Any

from covel_host.catalog.loading import LoadOutcome, load_package
from covel_host.catalog.sources import read_sources
from covel_host.manifest.package import read_package
from tests.support.packages import write_package


def load(root: Path) -> LoadOutcome:
    async def main() -> LoadOutcome:
        return await load_package(read_package(root), read_sources(root), number=1)

    return asyncio.run(main())


def package(root: Path, **events: Any) -> Path:
    write_package(root, events=events)
    return root


def test_every_event_has_its_compiled_schema(tmp_path: Path) -> None:
    events = {"herb.found": {"required": ["name"]}, "herb.internal": True}
    generation = load(package(tmp_path / "demo", **events)).generation
    assert generation is not None
    found = generation.events["herb.found"]
    assert (found.is_advertised, found.description) == (True, "About herb.found.")
    assert not found.payload.accepts({})
    assert not generation.events["herb.internal"].is_advertised


def test_a_schema_that_cannot_be_compiled_keeps_the_package_out_and_is_named(
    tmp_path: Path,
) -> None:
    root = package(tmp_path / "demo", **{"herb.found": {}})
    wrong = json.dumps({"pattern": "(?=x)"})
    (root / "schemas" / "herb.found.json").write_text(wrong, encoding="utf-8")
    outcome = load(root)
    assert outcome.generation is None
    named = {(found.name, found.path) for found in outcome.diagnostics}
    assert ("schema-unusable", "contributes.events.0.schema") in named
