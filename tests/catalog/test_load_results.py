import multiprocessing
from pathlib import Path

import pytest

from covel_host.catalog.load_results import MAX_RESULTS, LoadResult, LoadResults

ROW = (
    b'[{"plugin_id": "a", "content_hash": "b", "status": "loaded", "duration_ms": 12,'
    b' "problems": []}]'
)


def result(plugin_id: str = "moss-ledger", *, content_hash: str = "abc") -> LoadResult:
    return LoadResult(
        plugin_id=plugin_id,
        content_hash=content_hash,
        status="error",
        duration_ms=12,
        problems=("It broke.",),
    )


def test_a_result_is_found_again_for_its_very_state(tmp_path: Path) -> None:
    path = tmp_path / "home" / "loads.json"
    LoadResults(path).record(result())
    again = LoadResults(path)
    assert again.last("moss-ledger", "abc") == result()
    assert again.last("moss-ledger", "other") is None
    assert again.last("echo-demo", "abc") is None


def test_a_later_load_takes_the_place_of_the_earlier(tmp_path: Path) -> None:
    path = tmp_path / "loads.json"
    results = LoadResults(path)
    results.record(result())
    results.record(result(content_hash="new"))
    assert LoadResults(path).last("moss-ledger", "abc") is None
    assert LoadResults(path).last("moss-ledger", "new") is not None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"{}",
        b"[1]",
        b"[{}]",
        b"\xff\xfe",
        b"[" * 100_000,
        ROW.replace(b"12", b'"x"'),
        ROW.replace(b"[]", b"5"),
    ],
)
def test_a_corrupt_file_counts_as_empty_and_is_written_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "loads.json"
    path.write_bytes(content)
    results = LoadResults(path)
    assert results.last("a", "b") is None
    results.record(result())
    assert LoadResults(path).last("moss-ledger", "abc") == result()


def test_a_home_that_cannot_be_written_fails_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    results = LoadResults(tmp_path / "file" / "loads.json")
    results.record(result())
    assert results.last("moss-ledger", "abc") == result()
    folder = tmp_path / "loads.json"
    folder.mkdir()
    LoadResults(folder).record(result())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "loads.json"]


def test_a_message_json_cannot_hold_fails_nothing(tmp_path: Path) -> None:
    path = tmp_path / "loads.json"
    LoadResults(path).record(result("\ud800"))
    assert not path.exists()


def test_the_oldest_results_go(tmp_path: Path) -> None:
    path = tmp_path / "loads.json"
    results = LoadResults(path)
    for number in range(MAX_RESULTS + 1):
        results.record(result(f"p{number}"))
    again = LoadResults(path)
    assert again.last("p0", "abc") is None
    assert again.last("p1", "abc") is not None


def test_two_that_are_open_at_once_keep_each_others_results(tmp_path: Path) -> None:
    path = tmp_path / "loads.json"
    first, second = LoadResults(path), LoadResults(path)
    first.record(result("one"))
    second.record(result("two"))
    assert LoadResults(path).last("one", "abc") is not None
    assert LoadResults(path).last("two", "abc") is not None


def _record_many(path: Path, name: str) -> None:
    results = LoadResults(path)
    for number in range(50):
        results.record(result(f"{name}{number}"))


def test_processes_that_write_at_once_never_leave_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "loads.json"
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=_record_many, args=(path, name)) for name in ("a", "b")]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    # One of the two wrote last, and what it wrote can be read.
    results = LoadResults(path)
    assert results.last("a49", "abc") or results.last("b49", "abc")
    assert list(tmp_path.iterdir()) == [path]
