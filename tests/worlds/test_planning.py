"""What a session gets from a pack, and what keeps it from getting it."""

import json
from pathlib import Path
from typing import Any

import pytest

from covel_host.media.sniffing import checked_mime
from covel_host.worlds.installed import AuthoredPlace, Installed, Receiver
from covel_host.worlds.planning import MAX_SOURCE_PROBLEMS
from covel_host.worlds.validation import validate_pack
from tests.worlds.packs import installed, plan, receiver, sources, told, write_pack

DESCRIPTOR = "data/world.data.yaml"
NOTES = {"kind": "json", "path": "data/notes.json", "to": "contract:notes@1"}


def with_source(folder: Path, entry: dict[str, Any], records: object, **more: object) -> Path:
    files: dict[str, object] = {DESCRIPTOR: sources(notes=entry), "data/notes.json": records}
    return write_pack(folder, files=files | more)


def test_records_go_to_every_receiver_of_their_contract(tmp_path: Path) -> None:
    root = with_source(tmp_path, NOTES, [{"id": "a", "n": 1}, {"id": "b"}])
    known = installed(receiver(), receiver(plugin_id="other", namespace="kept"))
    made = plan(root, known)
    assert not made.diagnostics
    assert [(row.plugin_id, row.namespace, row.key) for row in made.data] == [
        ("moss-ledger", "notes", "a"),
        ("other", "kept", "a"),
        ("moss-ledger", "notes", "b"),
        ("other", "kept", "b"),
    ]
    assert json.loads(made.data[0].text) == {"id": "a", "n": 1}


def test_hidden_records_lie_in_a_hidden_namespace(tmp_path: Path) -> None:
    root = with_source(tmp_path, {**NOTES, "visibility": "hidden"}, [{"id": "a"}])
    assert [row.namespace for row in plan(root, installed(receiver())).data] == ["_hidden.notes"]


@pytest.mark.parametrize(
    ("changes", "name", "field"),
    [
        ({"visibility": "hidden", "to": "lorebook"}, "world-source", "visibility"),
        ({"visibility": "hidden", "to": "contract:notes@1+lorebook"}, "world-source", "visibility"),
        ({"visibility": "hidden", "effects": ["projections"]}, "world-source", "effects"),
        ({"to": "media"}, "world-source", "kind"),
        ({"kind": "media"}, "world-source", "kind"),
        ({"kind": "text"}, "world-source", None),
        ({"indexTo": "contract:notes@1"}, "world-source", "indexTo"),
        ({"schema": "covel://world/dimensions"}, "world-source", "schema"),
        ({"schema": "contract:other@1"}, "world-source", "schema"),
        ({"schema": "schemas/none.json"}, "file-not-found", "schema"),
        ({"to": "contract:notes"}, "world-target", "to"),
        ({"to": "world:metadata.__proto__"}, "world-target", "to"),
        ({"to": "world:metadata.tags"}, "world-target", "to"),
        ({"after": "none"}, "world-source-order", "after"),
        ({"after": ["notes"]}, "world-source-order", "after"),
        ({"path": "data/note.json"}, "file-not-found", "path"),
        ({"path": "/etc/passwd"}, "text-malformed", "path"),
        ({"kind": "toml"}, "value-not-allowed", "kind"),
        ({"too": "x"}, "unknown-field", "too"),
    ],
)
def test_a_source_that_cannot_be_read_is_told_at_its_field(
    tmp_path: Path, changes: dict[str, Any], name: str, field: str | None
) -> None:
    root = with_source(tmp_path, {**NOTES, **changes}, [{"id": "a"}])
    made = plan(root, installed(receiver()))
    place = "sources.notes" if field is None else f"sources.notes.{field}"
    assert (name, DESCRIPTOR, place) in told(made.diagnostics)
    assert made.fails


@pytest.mark.parametrize(
    ("records", "name", "place"),
    [
        ("text", "json-syntax", ""),
        ({"a": 1}, "world-data-shape", ""),
        ([1], "world-data-shape", "0"),
        ([{"n": 1}], "world-data-shape", "0"),
        ([{"id": 7}], "world-data-shape", "0.id"),
        ([{"id": "k" * 257}], "world-data-shape", "0.id"),
        ([{"id": "a"}, {"id": "a"}], "world-record-duplicate", "1.id"),
        ([{"id": "a", "n": "x"}], "world-record-invalid", "0.n"),
    ],
)
def test_a_record_that_cannot_be_imported_is_told_at_its_place(
    tmp_path: Path, records: object, name: str, place: str
) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    made = plan(with_source(tmp_path, NOTES, records), installed(receiver(schema=schema)))
    assert told(made.diagnostics) == [(name, "data/notes.json", place)]
    assert made.fails


def test_a_record_is_as_large_as_its_json_is(tmp_path: Path) -> None:
    # `{"id":"a","t":"…"}` with a text of that many bytes.
    frame = len(json.dumps({"id": "a", "t": ""}, separators=(",", ":")))
    fits, over = "x" * (262_144 - frame), "é" * (131_072)
    records = [{"id": "a", "t": fits}, {"id": "b", "t": over}]
    made = plan(with_source(tmp_path, NOTES, records), installed(receiver()))
    assert told(made.diagnostics) == [("world-record-too-large", "data/notes.json", "1")]
    assert [row.key for row in made.data] == ["a"]


def test_the_schema_of_the_source_is_asked_too(tmp_path: Path) -> None:
    schema = {"type": "object", "required": ["title"]}
    entry = {**NOTES, "schema": "schemas/note.json"}
    root = with_source(tmp_path, entry, [{"id": "a"}], **{"schemas/note.json": schema})
    made = plan(root, installed(receiver()))
    assert told(made.diagnostics) == [("world-record-invalid", "data/notes.json", "0")]


def test_many_faulty_records_are_counted(tmp_path: Path) -> None:
    records = [{"id": f"r{number}", "n": "x"} for number in range(500)]
    schema = {"properties": {"n": {"type": "integer"}}}
    made = plan(with_source(tmp_path, NOTES, records), installed(receiver(schema=schema)))
    names = [found.name for found in made.diagnostics]
    assert names.count("world-record-invalid") == MAX_SOURCE_PROBLEMS
    assert names.count("too-many-problems") == 1


def test_a_contract_nobody_takes_is_a_warning_until_somebody_plays(tmp_path: Path) -> None:
    root = with_source(tmp_path, NOTES, [{"id": "a"}])
    severities = [
        [(found.name, found.severity) for found in plan(root, known).diagnostics]
        for known in (Installed(), installed(active=frozenset()), installed(receiver("note@1")))
    ]
    warning = [("unresolved-contract", "warning")]
    error = [("unresolved-contract", "error")]
    assert severities == [warning, error, error]


def test_an_inactive_receiver_gets_nothing_and_that_is_said(tmp_path: Path) -> None:
    root = with_source(tmp_path, NOTES, [{"id": "a"}])
    made = plan(root, installed(receiver(), active=frozenset()))
    assert [(found.name, found.severity) for found in made.diagnostics] == [
        ("receiver-inactive", "warning")
    ]
    assert made.data == ()


def test_a_schema_that_cannot_be_used_stops_the_import(tmp_path: Path) -> None:
    broken = Receiver(
        plugin_id="p", namespace="n", contract="notes@1", schema=lambda: "no such file."
    )
    made = plan(with_source(tmp_path, NOTES, [{"id": "a"}]), installed(broken))
    assert told(made.diagnostics) == [("receiver-unusable", DESCRIPTOR, "sources.notes.to")]


def test_without_a_descriptor_files_lie_where_they_usually_lie(tmp_path: Path) -> None:
    place = AuthoredPlace(kind="yaml", path="data/notes.yaml", key="name", has_lorebook=True)
    known = Receiver(
        plugin_id="moss-ledger",
        namespace="notes",
        contract="notes@1",
        schema=receiver().schema,
        place=place,
    )
    dimension = {"name": "Depth", "schema": {"type": "integer"}, "initialValue": 2}
    files = {
        "data/lorebook.yaml": [{"id": "mud", "content": "Mud."}],
        "data/dimensions.yaml": {"depth": dimension},
        "characters/characters.json": [{"id": "npc-eel", "name": "Eel"}],
        "data/notes.yaml": [{"name": "first", "content": "A note."}],
    }
    made = plan(write_pack(tmp_path, files=files), installed(known))
    assert not made.diagnostics
    assert [entry["id"] for entry in made.lorebook] == ["mud", "first"]
    assert (list(made.dimensions), [row.key for row in made.data]) == (["depth"], ["first"])
    assert [entry.target for entry in made.ledger] == [
        "lorebook",
        "characters",
        "contract:notes@1+lorebook",
        "lorebook",
        "dimensions",
    ]


def test_a_source_behind_one_that_is_off_or_faulty_is_in_order(tmp_path: Path) -> None:
    files = {
        DESCRIPTOR: sources(
            off={**NOTES, "enabled": False},
            bad={**NOTES, "to": "character"},
            last={**NOTES, "after": ["off", "bad"]},
        ),
        "data/notes.json": [{"id": "x"}],
    }
    made = plan(write_pack(tmp_path, files=files), installed(receiver()))
    assert [one.name for one in made.diagnostics] == ["world-target"]


def test_later_sources_replace_or_skip_what_is_there(tmp_path: Path) -> None:
    files = {
        DESCRIPTOR: sources(
            third={**NOTES, "path": "data/c.json", "after": ["second"], "merge": "skipExisting"},
            second={**NOTES, "path": "data/b.json", "after": "first"},
            first={**NOTES, "path": "data/a.json"},
            off={**NOTES, "path": "data/none.json", "enabled": False},
        ),
        "data/a.json": [{"id": "x", "from": "a"}],
        "data/b.json": [{"id": "x", "from": "b"}],
        "data/c.json": [{"id": "x", "from": "c"}, {"id": "y", "from": "c"}],
    }
    made = plan(write_pack(tmp_path, files=files), installed(receiver()))
    assert not made.diagnostics
    assert [json.loads(row.text)["from"] for row in made.data] == ["b", "c"]


def test_characters_get_defaults_and_keep_the_rules_of_play(tmp_path: Path) -> None:
    attributes = [
        {"id": "calm", "name": "Calm", "type": "number", "category": "bio", "defaultValue": 3}
    ]
    characters = [
        {"id": "npc-eel", "name": "Eel", "aliases": ["Slick"]},
        {"id": "npc-pike", "name": "Pike", "fields": {"calm": "no"}},
        {"id": "npc-slick", "name": "slick"},
        {"id": "npc-ghost", "name": "Ghost", "type": "spirit"},
        {"id": "npc-rat", "name": "Rat", "age": 3},
    ]
    root = write_pack(
        tmp_path,
        characterSchema={"types": ["npc"], "attributes": attributes},
        files={"characters/characters.json": characters},
    )
    made = plan(root)
    assert made.characters == (
        {
            "id": "npc-eel",
            "name": "Eel",
            "type": "npc",
            "aliases": ["Slick"],
            "fields": {"calm": 3},
            "version": 1,
        },
    )
    file = "characters/characters.json"
    assert told(made.diagnostics) == [
        ("character-invalid", file, "1.fields.calm"),
        ("character-invalid", file, "2.name"),
        ("character-invalid", file, "3.type"),
        ("unknown-field", file, "4.age"),
    ]


def test_a_record_may_be_a_character_too(tmp_path: Path) -> None:
    entry = {**NOTES, "effects": ["characters"]}
    records = [{"id": "npc-eel", "name": "Eel", "persona": {"voice": "low"}}]
    made = plan(with_source(tmp_path, entry, records), installed(receiver()))
    assert not made.diagnostics
    assert [character["name"] for character in made.characters] == ["Eel"]


def test_dimensions_are_told_at_the_place_of_their_fault(tmp_path: Path) -> None:
    sound = {"name": "Depth", "schema": {"type": "integer"}, "initialValue": 2}
    dimensions = {
        "depth": sound,
        "Width": sound,
        "height": {**sound, "initialValue": "two"},
        "weight": {**sound, "schema": {"type": "integer", "$ref": "#"}},
        "load": {**sound, "name": {"en": "Load"}},
    }
    made = plan(write_pack(tmp_path, dimensions=dimensions))
    assert told(made.diagnostics) == [
        ("dimension-invalid", "world.yaml", "dimensions.Width"),
        ("dimension-invalid", "world.yaml", "dimensions.height.initialValue"),
        ("dimension-invalid", "world.yaml", "dimensions.weight.schema.$ref"),
        ("inline-locale-map", "world.yaml", "dimensions.load.name"),
    ]


def test_a_file_of_one_definition_goes_before_the_inline_one(tmp_path: Path) -> None:
    def depth(value: int) -> dict[str, Any]:
        return {"name": "Depth", "schema": {"type": "integer"}, "initialValue": value}

    root = write_pack(
        tmp_path,
        dimensions={"depth": depth(1), "other": depth(2)},
        dimensionSources={"depth": "data/depth.yaml", "gone": "data/gone.yaml"},
        files={"data/depth.yaml": depth(7)},
    )
    made = plan(root)
    values = {name: item["initialValue"] for name, item in made.dimensions.items()}
    assert values == {"depth": 7, "other": 2}
    assert told(made.diagnostics) == [("file-not-found", "world.yaml", "dimensionSources.gone")]


def test_values_are_in_the_sessions_language_and_labels_in_every_one(tmp_path: Path) -> None:
    text = {"type": "string", "x-i18n": True}
    definition = {"name": "Sky", "schema": text, "initialValue": "Clear", "updateRule": "Look up."}
    overlay = {"sky": {"name": "天空", "initialValue": "晴", "updateRule": "抬头。"}}
    files = {"data/dimensions.yaml": {"sky": definition}, "data/dimensions.zh.yaml": overlay}
    root = write_pack(tmp_path, files=files)
    found = {locale: plan(root, locale=locale).dimensions["sky"] for locale in ("en", "zh-CN")}
    assert {name: one["initialValue"] for name, one in found.items()} == {
        "en": "Clear",
        "zh-CN": "晴",
    }
    assert found["en"]["name"] == {"en": "Sky", "zh": "天空"}
    assert found["zh-CN"]["updateRule"] == "抬头。"


def test_lorebook_entries_have_their_strategy_and_a_key(tmp_path: Path) -> None:
    entries = [
        {"id": "a", "content": "A."},
        {"id": "b", "content": "B.", "kind": "triggered", "keys": ["bee"]},
        {"id": "c", "content": "C.", "strategy": "selective", "keys": [" "]},
        {"id": "d", "content": "D.", "strategy": "sometimes"},
    ]
    made = plan(write_pack(tmp_path, files={"data/lorebook.yaml": entries}))
    assert [(entry["id"], entry["strategy"]) for entry in made.lorebook] == [
        ("a", "constant"),
        ("b", "selective"),
        ("c", "selective"),
    ]
    assert told(made.diagnostics) == [
        ("lorebook-never-active", "data/lorebook.yaml", "2"),
        ("value-not-allowed", "data/lorebook.yaml", "3.strategy"),
    ]


def test_a_text_is_one_record_in_the_language_of_the_session(tmp_path: Path) -> None:
    entry = {"kind": "markdown", "path": "data/law.md", "to": "lorebook", "key": "law"}
    files = {
        DESCRIPTOR: sources(law=entry),
        "data/law.md": "Be kind.",
        "data/law.zh.md": "待人和善。",
    }
    root = write_pack(tmp_path, files=files)
    assert plan(root, locale="zh").lorebook[0]["content"] == "待人和善。"
    assert plan(root, locale="ru").lorebook[0]["content"] == "Be kind."


def test_packages_settings_and_contracts_are_compared_with_those_installed(
    tmp_path: Path,
) -> None:
    policy = {
        "requested": ["moss-leger", "far-away"],
        "requires": ["notes.keeper@1"],
        "packs": [{"id": "p", "label": "P", "recommended": ["moss-ledger"]}],
    }
    settings = {"moss-ledger": {"sise": 3, "size": 4}, "far-away": {"x": 1}}
    root = write_pack(tmp_path, pluginPolicy=policy, pluginSettings=settings)
    known = Installed(
        plugin_ids=frozenset({"moss-ledger"}),
        providers={"notes.keepers@1": ("moss-ledger",)},
        settings={"moss-ledger": ("size",)},
    )
    found = {
        (one.name, one.path): (one.severity, one.hint) for one in plan(root, known).diagnostics
    }
    assert found == {
        ("unknown-plugin", "pluginPolicy.requested.0"): (
            "error",
            "The nearest one is 'moss-ledger'.",
        ),
        ("unknown-plugin", "pluginPolicy.requested.1"): ("warning", None),
        ("unprovided-contract", "pluginPolicy.requires.0"): (
            "error",
            "The nearest one is 'notes.keepers@1'.",
        ),
        ("unknown-setting", "pluginSettings.moss-ledger.sise"): (
            "warning",
            "The nearest setting is 'size'.",
        ),
        ("unknown-plugin", "pluginSettings.far-away"): ("warning", None),
    }


def test_a_pack_is_checked_in_every_language_and_each_problem_told_once(tmp_path: Path) -> None:
    schema = {
        "types": ["npc"],
        "attributes": [
            {
                "id": "trade",
                "name": "Trade",
                "type": "enum",
                "category": "bio",
                "options": ["rower"],
            }
        ],
    }
    character = {"id": "npc-eel", "name": "Eel", "fields": {"trade": "rower"}}
    root = write_pack(
        tmp_path,
        supportedLocales=["en", "zh"],
        characterSchema=schema,
        files={
            "characters/characters.json": [character, {"id": "npc-x"}],
            "characters/characters.zh.json": [{"id": "npc-eel", "fields": {"trade": "船夫"}}],
        },
    )
    check = validate_pack(root, Installed(), mime_of=checked_mime)
    assert told(check.diagnostics) == [
        ("character-invalid", "characters/characters.json", "0.fields.trade"),
        ("field-missing", "characters/characters.json", "1.name"),
    ]
