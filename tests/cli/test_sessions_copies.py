"""`covel sessions fork|snapshots|export|delete`."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from covel_host.media.files import MediaFiles
from covel_host.store.assets import add_media_ref, get_asset, insert_asset, record_owner
from covel_host.store.check import check_database
from covel_host.store.options import StoreOptions
from covel_host.store.plugin_data import DataKey, put_data
from covel_host.store.records import MediaAssetRecord
from covel_host.store.sessions import insert_session, list_sessions
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from tests.cli.support import SCRIPT, STORY, Called, Covel, with_entry, write_package
from tests.store.builders import at, session

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"


@pytest.fixture
def session_id(covel: Covel, plugins: Path) -> str:
    """A session with two committed turns."""
    write_package(plugins, "teller", STORY)
    run = ("run", "teller", "--model", "offline", "--message", "Go!", "--json")
    found: str = covel(*run).json["sessionId"]
    covel(*run, "--session", found)
    return found


def opened(home: Path) -> Store:
    return Store.open(StoreOptions(path=home / "covel.db"))


def ids(covel: Covel) -> list[str]:
    listed = covel("sessions", "list", "--json").json["sessions"]
    return [found["sessionId"] for found in listed]


def refused(called: Called) -> str:
    assert called.code == 1
    code: str = called.json["error"]["code"]
    return code


def add_media(home: Path, session_id: str, data: bytes, *others: str) -> str:
    """A stored file that the sessions hold; its ID."""
    stored = MediaFiles(home / "media").put(data)
    store = opened(home)

    def write(transaction: Transaction) -> None:
        insert_asset(
            transaction,
            MediaAssetRecord(
                media_id=stored.media_id,
                mime=stored.mime,
                size_bytes=stored.size_bytes,
                created_at=at(),
            ),
        )
        record_owner(transaction, stored.media_id, session_id=session_id, plugin_id=None)
        for other in others:
            add_media_ref(transaction, stored.media_id, session_id=other, plugin_id=None, at=at())

    store.transaction_now(write)
    store.close()
    return stored.media_id


def test_a_fork_shows_what_was_and_goes_its_own_way(covel: Covel, session_id: str) -> None:
    taken = covel("sessions", "snapshots", session_id, "take", "--json").json["snapshot"]
    covel("run", "teller", "--session", session_id, "--model", "offline", "--message", "On!")
    forked = covel("sessions", "fork", session_id, "--from", taken["snapshotId"], "--json").json
    assert forked["parentSessionId"] == session_id
    new = forked["session"]["sessionId"]
    assert forked["session"]["revision"] == 2
    messages = covel("sessions", "show", new, "--json").json["messages"]
    assert len([one for one in messages if one["source"] == "player"]) == 2
    kinds = covel("sessions", "snapshots", new, "--json").json["snapshots"]
    assert [(one["kind"], one["parentId"]) for one in kinds] == [("fork", taken["snapshotId"])]
    ran = covel("run", "teller", "--session", new, "--model", "offline", "--json").json
    assert ran["revision"] == 3
    again = covel("sessions", "fork", new)
    assert again.code == 0
    assert f"forked from {new} at revision 3" in again.out
    assert len(ids(covel)) == 3


def test_snapshots_are_listed_taken_and_dropped(covel: Covel, session_id: str) -> None:
    taken = covel("sessions", "snapshots", session_id, "take").out.splitlines()[0]
    listed = covel("sessions", "snapshots", session_id).out
    assert listed.splitlines()[0].split() == ["SNAPSHOT", "KIND", "REVISION", "TURNS", "TAKEN"]
    assert taken in listed
    assert covel("sessions", "snapshots", session_id, "drop", taken).code == 0
    again = covel("sessions", "snapshots", session_id, "drop", taken, "--json")
    assert refused(again) == "snapshot-not-found"
    assert covel("sessions", "snapshots", session_id, "drop").code == 2
    assert covel("sessions", "snapshots", session_id, "take", "x").code == 2
    fork = covel("sessions", "fork", session_id, "--from", taken, "--json")
    assert refused(fork) == "snapshot-not-found"


def test_an_export_is_one_document_without_what_is_hidden(
    covel: Covel, session_id: str, home: Path
) -> None:
    store = opened(home)

    def write(transaction: Transaction) -> None:
        for namespace in ("notes", "_hidden.plot", "_logs"):
            place = DataKey(session_id=session_id, plugin_id="teller", namespace=namespace, key="k")
            text = json.dumps(f"in {namespace}")
            put_data(transaction, place, value_text=text, revision=2, at=at())

    store.transaction_now(write)
    store.close()
    covel("plugins", "set", session_id, "teller", "x", "--unset")
    media_id = add_media(home, session_id, PNG)
    called = covel("sessions", "export", session_id)
    document = called.json
    assert (document["format"], document["formatVersion"]) == ("covel-session", 1)
    assert document["session"]["sessionId"] == session_id
    assert [one["namespace"] for one in document["pluginData"]] == ["notes"]
    assert "_hidden" not in called.out
    assert "__kernel" not in called.out
    assert [one["mediaId"] for one in document["media"]] == [media_id]
    assert [turn["commitStatus"] for turn in document["turns"]] == ["committed", "committed"]
    assert [turn["sequence"] for turn in document["turns"]] == [1, 2]
    sequences = [one["sequence"] for one in document["messages"]]
    assert sequences == sorted(sequences)
    assert document["messages"][0]["content"] == "Go!"
    assert "reads" not in document["turns"][0]["results"][0]


def test_an_export_goes_to_a_new_file_and_to_no_other(
    covel: Covel, session_id: str, tmp_path: Path
) -> None:
    out = tmp_path / "session.json"
    told = covel("sessions", "export", session_id, "--out", out)
    assert told.code == 0
    assert json.loads(out.read_text("utf-8")) == covel("sessions", "export", session_id).json
    before = out.read_bytes()
    again = covel("sessions", "export", session_id, "--out", out)
    assert again.code == 1
    assert "session.json" in again.err
    assert out.read_bytes() == before
    assert covel("sessions", "export", session_id, "--out", tmp_path / "no" / "f").code == 1
    gone = covel("sessions", "export", "nobody", "--out", tmp_path / "none.json")
    assert gone.code == 1
    assert not (tmp_path / "none.json").exists()


def test_a_deletion_is_asked_about(covel: Covel, session_id: str, terminal: Any) -> None:
    assert refused(covel("sessions", "delete", session_id, "--json")) == "not-confirmed"
    terminal("n\n")
    assert covel("sessions", "delete", session_id).code == 1
    assert ids(covel) == [session_id]
    terminal("y\n")
    assert f"{session_id}: deleted.\n" in covel("sessions", "delete", session_id).out
    assert ids(covel) == []
    assert refused(covel("sessions", "delete", session_id, "--yes", "--json")) == (
        "session-not-found"
    )


def test_a_deletion_takes_the_media_that_nobody_else_holds(
    covel: Covel, session_id: str, home: Path
) -> None:
    other = covel("sessions", "new", "--json").json["sessionId"]
    own = add_media(home, session_id, PNG + b"own")
    shared = add_media(home, session_id, PNG + b"shared", other)
    files = MediaFiles(home / "media")
    left_behind = files.put(PNG + b"a process died here").media_id
    gone = covel("sessions", "delete", session_id, "--yes", "--json").json
    assert (gone["media"], gone["files"]) == (1, 2)
    assert [files.exists(one) for one in (own, shared, left_behind)] == [False, True, False]
    store = opened(home)
    assert store.read_now(lambda reading: get_asset(reading, shared)) is not None
    store.close()
    covel("sessions", "delete", other, "--yes")
    assert list(files.ids()) == []


def test_the_forks_of_a_deleted_session_keep_what_they_show(
    covel: Covel, session_id: str, home: Path
) -> None:
    media_id = add_media(home, session_id, PNG)
    forked = covel("sessions", "fork", session_id, "--json").json["session"]["sessionId"]
    before = covel("sessions", "export", forked).json
    assert covel("sessions", "delete", session_id, "--yes").code == 0
    assert covel("sessions", "export", forked).json == before
    assert MediaFiles(home / "media").exists(media_id)
    ran = covel("run", "teller", "--session", forked, "--model", "offline")
    assert ran.code == 0


ENDING = """\
from pathlib import Path

from plugin_sdk import hookimpl


@hookimpl
def session_end(ctx, session):
    with Path({path!r}).open("a") as file:
        file.write(f"{{session.session_id}} {{session.reason}}\\n")
"""

LISTENER = """\
---
description: Listens.
entry: ./server/index.py
contributes:
  hooks: [{ event: SessionEnd }]
---
"""


def test_packages_are_told_of_the_end_and_of_the_deletion(
    covel: Covel, plugins: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told.txt"
    write_package(plugins, "listener", LISTENER, ENDING.format(path=str(told)))
    monkeypatch.setenv("COVEL_TRUST", "listener")
    made = covel("sessions", "new", "--with", "listener", "--json").json["sessionId"]
    assert covel("sessions", "end", made, "--yes").code == 0
    assert covel("sessions", "delete", made, "--yes").code == 0
    assert told.read_text().splitlines() == [f"{made} ended", f"{made} deleted"]


def test_a_session_is_deleted_whatever_its_packages_do(
    covel: Covel, plugins: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "from plugin_sdk import hookimpl\n\n\n@hookimpl\ndef session_end(ctx, session):\n"
    write_package(plugins, "listener", LISTENER, f"{code}    raise RuntimeError('no')\n")
    with_entry(plugins, "broken", "raise SystemExit(3)\n")
    monkeypatch.setenv("COVEL_TRUST", "listener,broken")
    for packages in (("listener",), ("broken",), ("listener", "broken")):
        given = [part for name in packages for part in ("--with", name)]
        made = covel("sessions", "new", *given, "--json").json["sessionId"]
        assert covel("sessions", "delete", made, "--yes").code == 0, packages
    assert ids(covel) == []


def test_a_thousand_sessions_are_listed(covel: Covel, session_id: str, home: Path) -> None:
    store = opened(home)

    def write(transaction: Transaction) -> None:
        for number in range(1000):
            insert_session(transaction, session(f"many-{number:04}", updated_at=at(number)))

    store.transaction_now(write)
    store.close()
    listed = covel("sessions", "list", "--limit", "1001", "--json").json["sessions"]
    assert len(listed) == 1001
    assert len({one["sessionId"] for one in listed}) == 1001
    assert len(covel("sessions", "list").out.splitlines()) == 21


@pytest.mark.parametrize("weird", ["--", "a b", "'; DROP TABLE sessions; --", "é\n\x1b[31m", "%"])
def test_weird_ids_are_only_names(covel: Covel, session_id: str, home: Path, weird: str) -> None:
    store = opened(home)
    store.transaction_now(lambda transaction: insert_session(transaction, session(weird)))
    store.close()
    assert covel("sessions", "pause", "--", weird).code == 0
    shown = covel("sessions", "export", "--", weird)
    assert shown.json["session"]["sessionId"].startswith(weird[0])
    assert covel("sessions", "fork", "--", weird).code == 0
    deleted = covel("sessions", "delete", "--yes", "--", weird)
    assert deleted.code == 0
    assert "\x1b" not in deleted.out
    assert weird not in ids(covel)
    assert session_id in ids(covel)


def kill_in(code: str, *arguments: str) -> None:
    """One call in a process that kills itself where `code` says."""
    called = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert called.returncode == -signal.SIGKILL, called.stderr


def killing(place: str, name: str, *, before: bool) -> str:
    return (
        "import os, signal, sys\n"
        "from covel_host.cli import app\n"
        f"import {place} as place\n"
        f"whole = place.{name}\n"
        "def killed(*given, **named):\n"
        f"    if {before}:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    whole(*given, **named)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        f"place.{name} = killed\n"
        "sys.exit(app.run(sys.argv[1:]))\n"
    )


def sound(home: Path) -> None:
    report = check_database(home / "covel.db")
    assert report.is_sound, report.findings


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("name", ["fork_session"])
def test_a_fork_that_dies_leaves_nothing(
    covel: Covel, session_id: str, home: Path, name: str, before: bool
) -> None:
    kill_in(
        killing("covel_host.turn.session_forks", name, before=before),
        "sessions",
        "fork",
        session_id,
    )
    sound(home)
    assert ids(covel) == [session_id]
    assert covel("sessions", "fork", session_id).code == 0
    assert len(ids(covel)) == 2


@pytest.mark.parametrize(
    ("place", "name", "before", "is_there"),
    [
        ("covel_host.turn.session_deletion", "_delete", True, True),
        ("covel_host.turn.session_deletion", "delete_rows", False, True),
        ("covel_host.turn.session_deletion", "sweep_media", True, False),
    ],
)
def test_a_deletion_that_dies_is_finished_by_the_next_one(
    covel: Covel,
    session_id: str,
    home: Path,
    place: str,
    name: str,
    before: bool,
    is_there: bool,
) -> None:
    media_id = add_media(home, session_id, PNG)
    other = covel("sessions", "new", "--json").json["sessionId"]
    kill_in(killing(place, name, before=before), "sessions", "delete", session_id, "--yes")
    sound(home)
    assert (session_id in ids(covel)) is is_there
    if is_there:
        run = covel("run", "teller", "--session", session_id, "--model", "offline", "--json")
        assert refused(run) == "session-not-active"
        assert refused(covel("sessions", "resume", session_id, "--json")) == "session-deleting"
        assert refused(covel("sessions", "fork", session_id, "--json")) == "session-deleting"
        assert covel("sessions", "export", session_id).code == 0
        assert covel("sessions", "delete", session_id, "--yes").code == 0
    assert covel("sessions", "delete", other, "--yes").code == 0
    assert ids(covel) == []
    assert not MediaFiles(home / "media").exists(media_id)
    sound(home)


def test_two_processes_change_one_session_and_lose_nothing(
    covel: Covel, session_id: str, home: Path
) -> None:
    program = str(SCRIPT)
    commands = [
        [program, "sessions", "seat", session_id, f"seat-{number}", "--label", "x"]
        for number in range(6)
    ]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for command in commands
    ]
    outcomes = [process.communicate(timeout=60) for process in running]
    assert [process.returncode for process in running] == [0] * 6, outcomes
    seats = covel("sessions", "seat", session_id, "--json").json["seats"]
    assert [seat["id"] for seat in seats] == [f"seat-{number}" for number in range(6)]
    sound(home)
    store = opened(home)
    assert store.read_now(lambda reading: list_sessions(reading))[0].revision == 8
    store.close()
