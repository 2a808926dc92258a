"""What making a session of a large world pack costs, beside parsing its files and no more."""

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any, Final

import orjson
import yaml

from benchmarks.rounds import median_times, table
from covel_host.base.json_text import parse_json
from covel_host.diagnostics.yaml_document import read_yaml
from covel_host.host import Host
from covel_host.media.sniffing import checked_mime
from covel_host.settings import read_settings
from covel_host.turn.world_sessions import WorldSessionRequest
from covel_host.worlds.installed import Installed
from covel_host.worlds.pack_file import MAX_NODES
from covel_host.worlds.validation import validate_pack

RECORDS: Final = 5_000
GOAL_S: Final = 3.0
SETTING: Final = (
    f"A pack of {RECORDS:,} records: 1,000 characters and 1,000 lorebook entries in YAML, "
    "3,000 notes of a contract in JSON with a schema. Import: the pack is read, checked and "
    "written as a session in one transaction, a fresh session each time. Floor: the events of "
    "libyaml, of which no value is made, and orjson. PyYAML makes its values in Python; reading "
    "with places makes them of the same events, in one pass, with the place of each."
)
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_YAML_FILES: Final = ("characters.yaml", "lore.yaml")
_TRAITS: Final = ("patient", "quick", "loud", "careful")


def report() -> str:
    """The section of RESULTS.md."""
    with tempfile.TemporaryDirectory() as folder:
        return _measured(Path(folder))


def _measured(folder: Path) -> str:
    pack = make_pack(folder)
    make_receiver(folder / "plugins")
    environ = {"COVEL_HOME": str(folder), "COVEL_PLUGINS_DIR": str(folder / "none")}
    settings = read_settings(environ)
    request = WorldSessionRequest(pack=pack, packages=("note-keeper",))
    with asyncio.Runner() as runner:
        host = runner.run(Host.open(settings, load=()))
        try:
            begun = runner.run(host.open_world(request))
            assert sum(begun.counts.values()) == RECORDS, begun.counts
            times = median_times(
                {
                    "parse the files (floor)": lambda: _floor(pack),
                    "PyYAML's C loader, orjson": lambda: _loaded(pack),
                    "read with places": lambda: _placed(pack),
                    "validate": lambda: validate_pack(pack, Installed(), mime_of=checked_mime),
                    "import": lambda: runner.run(host.open_world(request)),
                },
                rounds=5,
            )
        finally:
            runner.run(host.close())
    rows = [
        [
            name,
            f"{seconds * 1000:,.0f}",
            f"{GOAL_S * 1000:,.0f}" if name == "import" else "",
            ("met" if seconds <= GOAL_S else "missed") if name == "import" else "",
        ]
        for name, seconds in times.items()
    ]
    return "\n".join(
        ["## World packs", "", SETTING, "", table([f"{RECORDS:,} records", "ms", "goal", ""], rows)]
    )


def _floor(pack: Path) -> None:
    for name in _YAML_FILES:
        for _event in yaml.parse((pack / name).read_bytes(), Loader=_LOADER):
            pass
    orjson.loads((pack / "notes.json").read_bytes())


def _loaded(pack: Path) -> None:
    for name in _YAML_FILES:
        yaml.load((pack / name).read_bytes(), Loader=_LOADER)
    orjson.loads((pack / "notes.json").read_bytes())


def _placed(pack: Path) -> None:
    for name in _YAML_FILES:
        document = read_yaml((pack / name).read_text(encoding="utf-8"), max_nodes=MAX_NODES)
        assert isinstance(document.value, list)
    parse_json((pack / "notes.json").read_bytes())


def make_pack(folder: Path) -> Path:
    """A pack of `RECORDS` records below `folder`."""
    pack = folder / "reed-bank"
    pack.mkdir(parents=True)
    attributes = [
        {"id": "nerve", "name": "Nerve", "type": "number", "category": "stats", "defaultValue": 3},
        {"id": "trait", "name": "Trait", "type": "enum", "category": "bio", "options": _TRAITS},
    ]
    world = {
        "schemaVersion": "1.0",
        "id": "reed-bank",
        "name": "Reed Bank",
        "summary": "A bank of reeds.",
        "defaultLocale": "en",
        "worldData": "data.yaml",
        "characterSchema": {"types": ["npc"], "attributes": attributes},
    }
    characters = [
        {
            "id": f"npc-{number}",
            "name": f"Reed Dweller {number}",
            "description": f"Lives at the {number}th bend, and knows the one before it.",
            "fields": {"trait": _TRAITS[number % 4]},
        }
        for number in range(1_000)
    ]
    lore = [
        {
            "id": f"bend-{number}",
            "keys": [f"bend {number}"],
            "content": f"At bend {number} the water turns, and so do those who drink it.",
            "strategy": "selective",
        }
        for number in range(1_000)
    ]
    notes = [
        {"id": f"note-{number}", "title": f"Note {number}", "n": number, "text": "Reeds. " * 20}
        for number in range(3_000)
    ]
    sources = {
        "people": {"kind": "yaml", "path": "characters.yaml", "to": "characters"},
        "lore": {"kind": "yaml", "path": "lore.yaml", "to": "lorebook"},
        "notes": {"kind": "json", "path": "notes.json", "to": "contract:notes@1"},
    }
    _write(pack / "world.yaml", world)
    _write(pack / "data.yaml", {"schemaVersion": 1, "sources": sources})
    (pack / "WORLD.md").write_text("Reeds.\n", encoding="utf-8")
    for name, value in (("characters.yaml", characters), ("lore.yaml", lore)):
        text = yaml.safe_dump(value, allow_unicode=True, sort_keys=False)
        (pack / name).write_text(text, encoding="utf-8")
    _write(pack / "notes.json", notes)
    return pack


def make_receiver(plugins: Path) -> None:
    """A package that takes the notes."""
    folder = plugins / "note-keeper"
    folder.mkdir(parents=True)
    data = {"notes": {"schema": "note.json", "version": 1, "accepts": ["notes@1"]}}
    manifest = json.dumps({"description": "Keeps notes.", "contributes": {"data": data}})
    (folder / "PLUGIN.md").write_text(f"---\n{manifest}\n---\n", encoding="utf-8")
    text = {"type": "string"}
    _write(
        folder / "note.json",
        {
            "type": "object",
            "properties": {"id": text, "title": text, "text": text, "n": {"type": "integer"}},
            "required": ["id", "title"],
            "additionalProperties": False,
        },
    )


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
