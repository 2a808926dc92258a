"""Media files: whole or not at all, once per content, never outside their folder."""

import hashlib
import os
import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from covel_host.media.errors import MediaMissing, MediaRefused, MediaUnusable
from covel_host.media.files import MediaFiles

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"


@pytest.fixture
def files(tmp_path: Path) -> MediaFiles:
    return MediaFiles(tmp_path / "home" / "media")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}


def test_a_stored_file_is_named_by_its_content(files: MediaFiles, tmp_path: Path) -> None:
    stored = files.put(PNG, declared_mime="image/PNG; x=1")
    assert stored.media_id == hashlib.sha256(PNG).hexdigest()
    assert (stored.mime, stored.size_bytes) == ("image/png", len(PNG))
    assert files.exists(stored.media_id)
    assert files.read(stored.media_id) == PNG
    path = tmp_path / "home" / "media" / stored.media_id[:2] / stored.media_id
    assert path.read_bytes() == PNG
    assert list(files.ids()) == [stored.media_id]


def test_equal_content_is_stored_once(files: MediaFiles, tmp_path: Path) -> None:
    first = files.put(PNG)
    place = tmp_path / "home" / "media" / first.media_id[:2] / first.media_id
    before = place.stat().st_ino
    assert files.put(PNG) == first
    assert place.stat().st_ino == before


def test_a_file_that_a_broken_disk_altered_is_written_again(
    files: MediaFiles, tmp_path: Path
) -> None:
    stored = files.put(PNG)
    place = tmp_path / "home" / "media" / stored.media_id[:2] / stored.media_id
    place.write_bytes(PNG[::-1])
    files.put(PNG)
    assert files.read(stored.media_id) == PNG


def test_what_is_too_large_or_empty_is_refused(tmp_path: Path) -> None:
    files = MediaFiles(tmp_path, max_file_bytes=len(PNG))
    files.put(PNG)
    for data, code in ((PNG + b"x", "media-too-large"), (b"", "media-empty")):
        with pytest.raises(MediaRefused) as refused:
            files.put(data)
        assert refused.value.code == code
    assert len(names(tmp_path)) == 1


@pytest.mark.parametrize("media_id", ["", "../secret", "a" * 63, "A" * 64, "a" * 64])
def test_what_is_no_stored_hash_is_missing(
    files: MediaFiles, tmp_path: Path, media_id: str
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "secret").write_text("no")
    with pytest.raises(MediaMissing) as missing:
        files.read(media_id)
    assert missing.value.media_id == media_id
    assert not files.exists(media_id)
    assert not files.delete(media_id)
    assert (tmp_path / "home" / "secret").exists()


def test_a_deleted_file_is_gone(files: MediaFiles) -> None:
    stored = files.put(PNG)
    assert files.delete(stored.media_id)
    assert not files.exists(stored.media_id)
    assert not files.delete(stored.media_id)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_on_the_way_leaves_no_file(
    files: MediaFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        with pytest.raises(MediaUnusable, match="No space left") as unusable:
            files.put(PNG)
    assert unusable.value.code == "media-unusable"
    assert names(tmp_path) == set()
    files.put(PNG)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "media").touch()
    with pytest.raises(MediaUnusable, match="COVEL_HOME") as unusable:
        MediaFiles(tmp_path / "media").put(PNG)
    assert "media" in unusable.value.message


def test_many_writers_of_one_content_end_with_one_whole_file(
    files: MediaFiles, tmp_path: Path
) -> None:
    data = PNG + b"x" * 500_000
    threads = [threading.Thread(target=files.put, args=(data,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [media_id] = names(tmp_path)
    assert files.read(media_id) == data


CHILD = """
import sys
from pathlib import Path
from covel_host.media.files import MediaFiles

files = MediaFiles(Path(sys.argv[1]))
number = 0
while True:
    number += 1
    data = b"\\x89PNG\\r\\n\\x1a\\n" + str(number).encode() * 300_000
    print(files.put(data).media_id, flush=True)
"""


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_process_leaves_whole_files_and_every_acknowledged_one(
    tmp_path: Path, seed: int
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    acknowledged = [process.stdout.readline().strip()]
    timer = threading.Timer(random.Random(seed).uniform(0.01, 0.15), process.kill)
    timer.start()
    rest, _ = process.communicate(timeout=60)
    timer.join()
    acknowledged += [line for line in rest.splitlines() if len(line) == 64]
    files = MediaFiles(tmp_path)
    found = list(files.ids())
    assert set(acknowledged) <= set(found)
    for media_id in found:
        assert hashlib.sha256(files.read(media_id)).hexdigest() == media_id
