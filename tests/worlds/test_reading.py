"""`world.yaml` and the files around it."""

from pathlib import Path
from typing import Any

import pytest

from covel_host.media.sniffing import checked_mime
from covel_host.worlds.reading import read_pack
from tests.worlds.packs import WORLD, plan, told, write_pack


def names(root: Path) -> list[tuple[str, str, str]]:
    return told(read_pack(root, mime_of=checked_mime).diagnostics)


def test_a_sound_pack_has_no_problem(tmp_path: Path) -> None:
    reading = read_pack(write_pack(tmp_path), mime_of=checked_mime)
    assert reading.diagnostics == ()
    assert reading.manifest is not None
    assert (reading.manifest.id, reading.manifest.locales) == ("reed-bank", ("en",))


@pytest.mark.parametrize(
    ("field", "value", "name"),
    [
        ("id", "Reed Bank", "text-malformed"),
        ("defaultLocale", "english", "text-malformed"),
        ("homepage", "http://example.org", "link-refused"),
        ("defaultViewMode", "staged", "value-not-allowed"),
        ("cover", "cover.png", "text-malformed"),
        ("accentColor", "blue", "text-malformed"),
        ("worldData", "../elsewhere.yaml", "path-outside-package"),
        ("version", 1.5, "yaml-unquoted-number"),
        ("tags", "sea", "wrong-type"),
        ("license", None, None),
    ],
)
def test_a_faulty_field_is_told_at_its_place(
    tmp_path: Path, field: str, value: Any, name: str | None
) -> None:
    reading = read_pack(write_pack(tmp_path, **{field: value}), mime_of=checked_mime)
    expected = [] if name is None else [(name, "world.yaml", field)]
    assert told(reading.diagnostics) == expected
    # The other fields are still there.
    assert reading.manifest is not None
    assert reading.manifest.name == "Reed Bank"


def test_what_is_missing_and_what_is_not_known_is_told_together(tmp_path: Path) -> None:
    root = write_pack(tmp_path, pluginPolicy={"requireds": ["a@1"]})
    text = (root / "world.yaml").read_text(encoding="utf-8").replace('"summary"', '"sumary"')
    (root / "world.yaml").write_text(text, encoding="utf-8")
    found = {
        (one.name, one.path): one.hint for one in read_pack(root, mime_of=checked_mime).diagnostics
    }
    assert found == {
        ("field-missing", "summary"): "Add 'summary'.",
        ("unknown-field", "sumary"): "The nearest field is 'summary'.",
        ("unknown-field", "pluginPolicy.requireds"): "The nearest field is 'requires'.",
    }


def test_a_plugin_id_is_no_contract(tmp_path: Path) -> None:
    root = write_pack(tmp_path, pluginPolicy={"requires": ["moss-ledger"]})
    assert names(root) == [("text-malformed", "world.yaml", "pluginPolicy.requires.0")]


def test_a_text_per_language_belongs_into_files_of_their_own(tmp_path: Path) -> None:
    root = write_pack(tmp_path, name={"en": "Reed Bank", "zh": "苇岸"})
    assert names(root) == [("inline-locale-map", "world.yaml", "name")]


def test_a_folder_without_a_manifest_is_no_pack(tmp_path: Path) -> None:
    reading = read_pack(tmp_path, mime_of=checked_mime)
    assert reading.manifest is None
    assert told(reading.diagnostics) == [("world-manifest-missing", "", "")]


@pytest.mark.parametrize("text", ["- a\n- b\n", "", "id: [\n", "name: !x y\n\x00"])
def test_a_manifest_that_is_none_is_one_problem(tmp_path: Path, text: str) -> None:
    reading = read_pack(write_pack(tmp_path, files={"world.yaml": text}), mime_of=checked_mime)
    assert reading.manifest is None
    assert len(reading.diagnostics) == 1


def test_each_declared_language_has_lore(tmp_path: Path) -> None:
    root = write_pack(tmp_path, supportedLocales=["zh", "fr"], files={"WORLD.zh.md": "芦苇。"})
    (root / "WORLD.md").unlink()
    assert [name for name, _, _ in names(root)] == [
        "lore-missing",
        "lore-missing",
        "lore-fallback-missing",
    ]


def test_traditional_chinese_is_not_read_for_simplified(tmp_path: Path) -> None:
    root = write_pack(tmp_path, files={"WORLD.zh-Hant-TW.md": "蘆葦。", "WORLD.zh.md": "芦苇。"})
    lore = {locale: plan(root, locale=locale).record["lore"] for locale in ("zh-TW", "zh-CN", "de")}
    assert lore == {"zh-TW": "蘆葦。", "zh-CN": "芦苇。", "de": "Reeds, and what hides in them."}


def test_the_translation_of_a_world_file_is_laid_over_it(tmp_path: Path) -> None:
    schema = {
        "types": ["npc"],
        "attributes": [{"id": "mood", "name": "Mood", "type": "string", "category": "bio"}],
    }
    overlay = {
        "name": "苇岸",
        "id": "other",
        "titel": "x",
        "characterSchema": {"attributes": [{"id": "mood", "name": "心情"}, {"id": "no"}]},
    }
    root = write_pack(tmp_path, characterSchema=schema, files={"world.zh.yaml": overlay})
    made = plan(root, locale="zh-CN")
    assert (made.record["name"], made.record["locale"], made.world_id) == (
        "苇岸",
        "zh",
        "reed-bank",
    )
    assert made.character_schema is not None
    attribute: Any = made.character_schema["attributes"]
    assert attribute[0]["name"] == {"en": "Mood", "zh": "心情"}
    assert told(made.diagnostics) == [
        ("locale-overlay", "world.zh.yaml", "id"),
        ("locale-overlay", "world.zh.yaml", "titel"),
        ("locale-overlay", "world.zh.yaml", "characterSchema.attributes.1"),
    ]


def test_text_left_in_another_script_is_noticed(tmp_path: Path) -> None:
    root = write_pack(tmp_path, files={"world.fr.yaml": {"name": "苇岸"}})
    assert told(plan(root).diagnostics) == [("locale-script", "world.fr.yaml", "name")]


def test_a_file_without_a_language_in_its_name_is_not_read(tmp_path: Path) -> None:
    root = write_pack(tmp_path, files={"world.chinese.yaml": {"name": "苇岸"}})
    assert told(plan(root).diagnostics) == [("locale-file-name", "world.chinese.yaml", "")]


def test_a_link_may_not_lead_out_of_the_pack(tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text("schemaVersion: 1\nsources: {}\n", encoding="utf-8")
    root = write_pack(tmp_path, worldData="data.yaml")
    (root / "data.yaml").symlink_to(tmp_path / "outside.yaml")
    assert names(root) == [("path-outside-package", "world.yaml", "worldData")]


def test_attributes_are_told_apart_and_their_defaults_fit(tmp_path: Path) -> None:
    attributes = [
        {"id": "mood", "name": "Mood", "type": "number", "category": "bio", "defaultValue": "x"},
        {"id": "mood", "name": "Mood", "type": "number", "category": "bio", "min": 3, "max": 1},
    ]
    root = write_pack(tmp_path, characterSchema={"types": ["player"], "attributes": attributes})
    assert names(root) == [
        ("world-schema", "world.yaml", "characterSchema.types.0"),
        ("character-default-unfit", "world.yaml", "characterSchema.attributes.0.defaultValue"),
        ("world-schema", "world.yaml", "characterSchema.attributes.1.id"),
        ("world-schema", "world.yaml", "characterSchema.attributes.1.min"),
    ]


def test_the_world_record_holds_what_interfaces_show(tmp_path: Path) -> None:
    author = {"name": "R. Vole", "links": [{"label": "Home", "url": "https://example.org"}]}
    root = write_pack(tmp_path, author=author, tags=["reeds"], license="MIT", version="1.2.0")
    assert plan(root).record == {
        "id": "reed-bank",
        "name": WORLD["name"],
        "description": WORLD["summary"],
        "lore": "Reeds, and what hides in them.",
        "tags": ["reeds"],
        "locale": "en",
        "metadata": {
            "source": "file",
            "defaultLocale": "en",
            "supportedLocales": ["en"],
            "version": "1.2.0",
            "author": author,
            "license": "MIT",
        },
    }
