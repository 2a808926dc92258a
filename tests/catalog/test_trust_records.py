"""The file of grants: kept whole, read strictly, changed by several processes at once."""

import errno
import json
import multiprocessing
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from covel_host.catalog.trust_records import MAX_FILE_BYTES, TrustFile, TrustFileError

AT = datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC)
LATER = datetime(2026, 6, 7, 8, 9, 10, tzinfo=UTC)


@pytest.fixture
def file(tmp_path: Path) -> TrustFile:
    return TrustFile(tmp_path / "home" / "trust.json")


def test_no_file_means_no_grants(file: TrustFile, tmp_path: Path) -> None:
    assert file.read() == {}
    assert not (tmp_path / "home").exists()


def test_a_grant_is_kept_and_ends(file: TrustFile) -> None:
    granted = file.grant("moss", content_hash="abc", at=AT)
    assert file.read() == {"moss": granted}
    assert (granted.granted_at, granted.ended) == (AT, None)
    ended = file.end("moss", content_hash="other", ended="revoked", at=LATER)
    assert file.read() == {"moss": ended}
    assert (ended.content_hash, ended.granted_at, ended.ended, ended.ended_at) == (
        ("abc", AT, "revoked", LATER)
    )
    assert file.grant("moss", content_hash="def", at=LATER).ended is None


def test_the_end_of_trust_that_was_never_granted_is_kept(file: TrustFile) -> None:
    ended = file.end("moss", content_hash="abc", ended="uninstalled", at=AT)
    assert (ended.content_hash, ended.granted_at, ended.ended) == ("abc", None, "uninstalled")
    assert file.read()["moss"] == ended


def test_nothing_but_the_file_is_left(file: TrustFile, tmp_path: Path) -> None:
    file.grant("moss", content_hash="abc", at=AT)
    file.grant("herbs", content_hash="abc", at=AT)
    (path,) = (tmp_path / "home").iterdir()
    assert path.stat().st_mode & 0o077 == 0
    document = json.loads(path.read_text(encoding="utf-8"))
    assert "covel trust" in document["about"]
    assert [row["id"] for row in document["grants"]] == ["herbs", "moss"]


def test_a_linked_file_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    TrustFile(tmp_path / "link.json").grant("moss", content_hash="abc", at=AT)
    assert (tmp_path / "link.json").is_symlink()
    assert list(TrustFile(tmp_path / "real.json").read()) == ["moss"]


ROW = {"id": "moss", "contentHash": "abc", "grantedAt": None, "ended": None, "endedAt": None}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "{}",
        '{"version": 2, "grants": []}',
        '{"version": 1, "grants": {}}',
        json.dumps({"version": 1, "grants": ["moss"]}),
        json.dumps({"version": 1, "grants": [{**ROW, "id": 1}]}),
        json.dumps({"version": 1, "grants": [{**ROW, "contentHash": None}]}),
        json.dumps({"version": 1, "grants": [{**ROW, "ended": "perhaps"}]}),
        json.dumps({"version": 1, "grants": [{**ROW, "grantedAt": "yesterday"}]}),
        json.dumps({"version": 1, "grants": [{**ROW, "grantedAt": "2026-05-06T07:08:09"}]}),
        json.dumps({"version": 1, "grants": [{**ROW, "endedAt": 3}]}),
        json.dumps({"version": 1, "grants": [{"id": "moss"}]}),
        " " * (MAX_FILE_BYTES + 1),
    ],
)
def test_a_file_that_is_not_ours_trusts_nothing_and_is_kept(tmp_path: Path, text: str) -> None:
    path = tmp_path / "trust.json"
    path.write_text(text, encoding="utf-8")
    file = TrustFile(path)
    with pytest.raises(TrustFileError) as caught:
        file.read()
    assert caught.value.code == "trust-file-unusable"
    assert str(path) in caught.value.message
    with pytest.raises(TrustFileError):
        file.grant("moss", content_hash="abc", at=AT)
    assert path.read_text(encoding="utf-8") == text


def test_a_folder_in_its_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "trust.json").mkdir()
    with pytest.raises(TrustFileError, match="cannot be used"):
        TrustFile(tmp_path / "trust.json").read()


def test_a_pipe_in_its_place_is_named_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "trust.json")
    with pytest.raises(TrustFileError, match="no regular file"):
        TrustFile(tmp_path / "trust.json").read()


def test_a_full_disk_is_no_reason_to_remove_the_grants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = TrustFile(tmp_path / "trust.json")
    file.grant("moss", content_hash="abc", at=AT)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TrustFileError) as caught:
        file.grant("fern", content_hash="abc", at=AT)
    assert caught.value.code == "trust-file-unwritable"
    assert "remove" not in str(caught.value.hint)
    assert list(file.read()) == ["moss"]
    assert [path.name for path in tmp_path.iterdir()] == ["trust.json"]


def _grant_some(path: Path, name: str) -> None:
    for number in range(10):
        TrustFile(path).grant(f"{name}-{number}", content_hash="abc", at=AT)


def test_several_processes_lose_no_grant_of_each_other(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    path = tmp_path / "trust.json"
    processes = [context.Process(target=_grant_some, args=(path, name)) for name in ("a", "b", "c")]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert len(TrustFile(path).read()) == 30
