"""The media of a pack: read inside it, known by content, named by records."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from covel_host.worlds import pack_media
from tests.worlds.packs import installed, plan, receiver, sources, told, write_pack

DESCRIPTOR = "data/world.data.yaml"
ART = {
    "kind": "media",
    "path": "media/art",
    "to": "media",
    "key": "filename",
    "indexTo": "contract:art@1",
}
PNG = b"\x89PNG\r\n\x1a\n"


def ref(data: bytes) -> dict[str, Any]:
    return {"id": sha256(data).hexdigest(), "mime": "image/png", "size": len(data)}


def pack(folder: Path, media: Mapping[str, bytes], records: object = None, **entry: Any) -> Path:
    notes = {"kind": "json", "path": "data/notes.json", "to": "contract:notes@1"}
    listed: dict[str, Any] = {"art": {**ART, **entry}}
    files: dict[str, object] = {}
    if records is not None:
        listed["notes"] = notes
        files["data/notes.json"] = records
    root = write_pack(folder, files={DESCRIPTOR: sources(**listed), **files})
    for name, data in media.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def artists(*more: Any) -> Any:
    return installed(receiver("art@1", namespace="art"), receiver(), *more)


def test_every_file_gets_a_row_of_the_index_and_its_bytes_are_taken(tmp_path: Path) -> None:
    root = pack(tmp_path, {"media/art/a.png": PNG, "media/art/b.png": PNG + b"b"})
    made = plan(root, artists())
    assert made.diagnostics == ()
    assert [(row.namespace, row.key) for row in made.data] == [("art", "a.png"), ("art", "b.png")]
    assert f'"id":"{sha256(PNG).hexdigest()}"' in made.data[0].text
    assert [file.ref for file in made.media] == [ref(PNG), ref(PNG + b"b")]
    assert [file.bytes() for file in made.media] == [PNG, PNG + b"b"]
    assert [(row.target, row.key, row.source_digest) for row in made.ledger] == [
        ("media", "a.png", sha256(PNG).hexdigest()),
        ("media", "b.png", sha256(PNG + b"b").hexdigest()),
    ]


def test_equal_files_are_stored_once(tmp_path: Path) -> None:
    made = plan(pack(tmp_path, {"media/art/a.png": PNG, "media/art/b.png": PNG}), artists())
    assert (len(made.data), len(made.media)) == (2, 1)


def test_a_file_for_readers_of_a_language_takes_the_place_of_the_main_one(tmp_path: Path) -> None:
    media = {"media/art/sign.png": PNG, "media/art/sign.zh.png": PNG + b"zh"}
    root = pack(tmp_path, {**media, "media/art/x.v2.png": PNG + b"2"})
    for locale, taken in (("en", PNG), ("zh-CN", PNG + b"zh"), ("zh-TW", PNG)):
        made = plan(root, artists(), locale=locale)
        assert [row.key for row in made.data] == ["sign.png", "x.v2.png"]
        assert made.media[0].ref == ref(taken)


def test_records_name_files_by_path_or_by_reference(tmp_path: Path) -> None:
    records = [
        {"id": "pim", "sprites": [{"media": "media/art/a.png"}], "n": {"media": "a", "x": 1}},
        {"id": "hob", "sprite": ref(PNG + b"b")},
    ]
    root = pack(tmp_path, {"media/art/a.png": PNG, "media/art/b.png": PNG + b"b"}, records)
    made = plan(root, installed(receiver(), active=frozenset({"moss-ledger"})))
    stored = {row.key: row.text for row in made.data}
    assert f'"sprites":[{{"id":"{sha256(PNG).hexdigest()}"' in stored["pim"]
    assert '"n":{"media":"a","x":1}' in stored["pim"]
    # Nobody indexes the folder: what records name is taken all the same.
    assert {file.media_id for file in made.media} == {ref(PNG)["id"], ref(PNG + b"b")["id"]}
    assert told(made.diagnostics) == [("unresolved-contract", DESCRIPTOR, "sources.art.indexTo")]
    assert [found.severity for found in made.diagnostics] == ["warning"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"media": "media/art/aa.png"}, "names 'media/art/aa.png'"),
        ({"media": "media/none.png"}, "names 'media/none.png'"),
        ({"id": "0" * 64, "mime": "image/png", "size": 8}, "names the media 000000000000…"),
        ({**ref(PNG), "size": 9}, "media/art/a.png is 'image/png' of 9 bytes"),
        ({**ref(PNG), "mime": "image/gif"}, "media/art/a.png is 'image/gif'"),
    ],
)
def test_a_reference_that_leads_nowhere_is_a_problem(
    tmp_path: Path, value: object, message: str
) -> None:
    root = pack(tmp_path, {"media/art/a.png": PNG}, [{"id": "x", "sprite": value}])
    [found] = plan(root, artists()).diagnostics
    assert (found.name, found.severity, found.file) == ("world-media", "error", "data/notes.json")
    assert message in found.message


def test_nothing_is_taken_while_no_active_package_indexes_it(tmp_path: Path) -> None:
    root = pack(tmp_path, {"media/art/a.png": PNG})
    made = plan(root, installed(receiver("art@1"), active=frozenset()))
    assert made.media == ()
    assert [(one.name, one.path) for one in made.diagnostics] == [
        ("receiver-inactive", "sources.art.indexTo")
    ]


def test_without_an_index_files_are_taken_and_have_no_row(tmp_path: Path) -> None:
    root = write_pack(
        tmp_path,
        files={DESCRIPTOR: sources(art={key: ART[key] for key in ART if key != "indexTo"})},
    )
    (root / "media" / "art").mkdir(parents=True)
    (root / "media" / "art" / "a.png").write_bytes(PNG)
    made = plan(root, artists())
    assert (made.diagnostics, made.data, len(made.media)) == ((), (), 1)


def test_a_row_fits_the_schema_of_its_receiver(tmp_path: Path) -> None:
    schema = {"type": "object", "required": ["title"]}
    root = pack(tmp_path, {"media/art/a.png": PNG})
    [found] = plan(root, installed(receiver("art@1", schema=schema))).diagnostics
    assert (found.name, found.path) == ("world-record-invalid", "sources.art.indexTo")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.exe", PNG, "of a kind that is not taken"),
        ("a.png", b"", "is of no known kind"),
        ("a.png", b"#!/bin/sh\n", "is of no known kind"),
        ("a.png", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"),
        ("a.mp3", PNG, "is declared 'audio/mpeg', and its bytes are 'image/png'"),
        ("inner/a.png", PNG, "has one level"),
    ],
)
def test_the_bytes_decide_what_is_taken(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    [found] = plan(pack(tmp_path, {f"media/art/{name}": data}), artists()).diagnostics
    assert (found.name, found.path) == ("world-media", "sources.art.path")
    assert message in found.message


def test_files_that_lie_elsewhere_are_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(PNG)
    root = pack(tmp_path, {"media/art/a.png": PNG})
    (root / "media" / "art" / "b.png").symlink_to(secret)
    (root / "media" / "art" / "c.png").symlink_to("a.png")
    made = plan(root, artists())
    [found] = made.diagnostics
    assert "'media/art/b.png' leads out of the world pack" in found.message
    assert [row.key for row in made.data] == ["a.png", "c.png"]


@pytest.mark.parametrize("path", ["../art", "/etc", "media/none", "world.yaml"])
def test_a_folder_that_is_none_of_the_pack_is_a_problem(tmp_path: Path, path: str) -> None:
    root = pack(tmp_path, {"media/art/a.png": PNG}, path=path)
    [found] = plan(root, artists()).diagnostics
    assert found.severity == "error"
    assert found.path == "sources.art.path"


def test_sizes_and_numbers_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    media = {f"media/art/{name}.png": PNG + name.encode() * 4 for name in "abcd"}
    root = pack(tmp_path, media)
    for limit, value, message in (
        ("MAX_MEDIA_BYTES", 11, "has 12 bytes; the limit is 11"),
        ("MAX_MEDIA_TOTAL_BYTES", 30, "has more than 30 bytes"),
        ("MAX_MEDIA_FILES", 3, "has 4 files; the limit of one source is 3"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(pack_media, limit, value)
            found = plan(root, artists()).diagnostics
        assert {one.name for one in found} == {"world-media"}
        assert message in found[0].message


def test_files_named_by_records_that_nobody_gets_are_left(tmp_path: Path) -> None:
    records = [{"id": "pim", "sprite": {"media": "media/art/a.png"}}]
    root = pack(tmp_path, {"media/art/a.png": PNG}, records)
    assert plan(root, installed(receiver(), active=frozenset())).media == ()
