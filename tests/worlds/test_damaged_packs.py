"""Whatever the files of a pack hold, reading them gives problems and never raises."""

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from covel_host.media.sniffing import checked_mime
from covel_host.worlds.validation import validate_pack
from tests.worlds.packs import installed, receiver

SALT_LANTERN = Path(__file__).parents[2] / "templates" / "worlds" / "salt-lantern"
PIECES = ("", ":", "- ", "[", "}", "null", "1e999", "\x00", "'", "&a *a", "? x", "\ufeff", "{}")


def damaged(text: str, randoms: random.Random) -> str:
    """`text` with a few stretches cut out, doubled or replaced."""
    for _ in range(randoms.randint(1, 4)):
        start = randoms.randrange(len(text) + 1)
        end = min(len(text), start + randoms.randrange(40))
        put = randoms.choice((*PIECES, text[start:end] * 2))
        text = text[:start] + put + text[end:]
    return text


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_pack_is_read_to_its_end(tmp_path: Path, seed: int) -> None:
    randoms = random.Random(seed)
    root = Path(shutil.copytree(SALT_LANTERN, tmp_path / "salt-lantern"))
    files = sorted(path for path in root.rglob("*") if path.is_file())
    for path in randoms.sample(files, 3):
        text = damaged(path.read_text(encoding="utf-8"), randoms)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
    check = validate_pack(root, installed(receiver()), mime_of=checked_mime)
    for found in check.diagnostics:
        assert found.message
        assert found.plugin == "salt-lantern"


WRONG: tuple[Any, ...] = (
    None,
    True,
    7,
    -1.5,
    "",
    "x",
    "a" * 300,
    [],
    {},
    [1],
    [{}],
    [[]],
    {"a": 1},
    {"en": "a"},
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in `value` below its root."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for part, item in list(items):
        yield (*path, part)
        if isinstance(item, dict | list):
            yield from places(item, (*path, part))


@pytest.mark.parametrize("seed", range(80))
def test_a_value_of_any_other_kind_is_a_problem_and_no_error(tmp_path: Path, seed: int) -> None:
    randoms = random.Random(seed)
    root = Path(shutil.copytree(SALT_LANTERN, tmp_path / "salt-lantern"))
    files = sorted(path for path in root.rglob("*") if path.suffix in (".yaml", ".json"))
    for file in randoms.sample(files, 3):
        value: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
        *above, part = randoms.choice(list(places(value)))
        inner = value
        for step in above:
            inner = inner[step]
        inner[part] = randoms.choice(WRONG)
        file.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    check = validate_pack(root, installed(receiver()), mime_of=checked_mime)
    assert all(found.message for found in check.diagnostics)


def test_a_pack_of_links_and_folders_in_place_of_files_is_read(tmp_path: Path) -> None:
    root = tmp_path / "odd"
    (root / "WORLD.md").mkdir(parents=True)
    (root / "data").symlink_to(root)
    (root / "world.yaml").symlink_to(tmp_path / "gone.yaml")
    found = validate_pack(root, installed(), mime_of=checked_mime).diagnostics
    assert {one.name for one in found} == {"path-outside-package", "world-manifest-missing"}
