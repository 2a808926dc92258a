"""Writes small world packs, and the packages they are looked at with."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.media.sniffing import checked_mime
from covel_host.schemas.compiled import CompiledSchema, compile_schema
from covel_host.worlds.installed import Installed, Receiver
from covel_host.worlds.plan import WorldPlan
from covel_host.worlds.planning import plan_world
from covel_host.worlds.reading import read_pack

WORLD: Mapping[str, Any] = {
    "schemaVersion": "1.0",
    "id": "reed-bank",
    "name": "Reed Bank",
    "summary": "A bank of reeds.",
    "defaultLocale": "en",
}
LORE = "Reeds, and what hides in them.\n"


def write_pack(folder: Path, *, files: Mapping[str, object] | None = None, **world: Any) -> Path:
    """A pack at `folder/reed-bank`; `world` adds fields, `files` are texts or values by path."""
    root = folder / "reed-bank"
    written: dict[str, object] = {
        "world.yaml": {**WORLD, **world},
        "WORLD.md": LORE,
        **(files or {}),
    }
    for name, content in written.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        path.write_text(text, encoding="utf-8")
    return root


def sources(**entries: Mapping[str, Any]) -> dict[str, Any]:
    """The descriptor with these sources, as files of `write_pack`."""
    return {"schemaVersion": 1, "sources": dict(entries)}


def receiver(
    contract: str = "notes@1",
    *,
    plugin_id: str = "moss-ledger",
    namespace: str = "notes",
    schema: Mapping[str, Any] | None = None,
) -> Receiver:
    """A namespace that takes the contract."""

    def compiled() -> CompiledSchema | str:
        return compile_schema(dict(schema or {"type": "object"}))

    return Receiver(plugin_id=plugin_id, namespace=namespace, contract=contract, schema=compiled)


def installed(*receivers: Receiver, active: frozenset[str] | None = None) -> Installed:
    """The packages of those receivers."""
    names = frozenset(found.plugin_id for found in receivers)
    return Installed(plugin_ids=names, receivers=receivers, active=active)


def plan(root: Path, known: Installed | None = None, *, locale: str = "en") -> WorldPlan:
    """The plan of a pack whose `world.yaml` can be read."""
    made = plan_world(read_pack(root, mime_of=checked_mime), known or Installed(), locale=locale)
    assert made is not None
    return made


def told(diagnostics: tuple[Diagnostic, ...]) -> list[tuple[str, str, str]]:
    """Name, file and field path of each."""
    return [(found.name, found.file, found.path) for found in diagnostics]
