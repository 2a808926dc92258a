"""Ctrl-C in commands that work in a session: what is said is what is committed."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.support import SCRIPT, Covel
from tests.support.casts import Member, cast, function

WAITS = "__import__('os').write({writing}, b'called')\nawait asyncio.sleep(60)\nreturn success()"


def aborted(
    home: Path, covel: Covel, setup: Member | None, code: str, *command: str
) -> "subprocess.CompletedProcess[str]":
    """The command on a new session, ended as soon as `code` has written to its pipe."""
    reading, writing = os.pipe()
    members = {"before": function(code.format(writing=writing), schedule={"stage": "pre-turn"})}
    if setup is not None:
        members["init"] = setup
    cast(home, "tale", members)
    made = covel("sessions", "new", "--with", "tale", "--json").json
    arguments = [str(SCRIPT), *command, "--model", "offline"]
    arguments[2] = str(made["sessionId"])
    with (
        subprocess.Popen(
            arguments,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=[writing],
        ) as process,
        os.fdopen(reading, "rb") as pipe,
    ):
        os.close(writing)
        assert pipe.read(6) == b"called", process.communicate()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)


@pytest.fixture(autouse=True)
def _trusted(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("COVEL_TRUST", "tale")


def test_an_aborted_turn_says_that_nothing_was_committed(covel: Covel, home: Path) -> None:
    ended = aborted(home, covel, None, WAITS, "turn", "SESSION", "I wait.")
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == "Aborted: nothing was committed."
    assert "Traceback" not in ended.stderr


def test_an_aborted_turn_is_one_json_document(covel: Covel, home: Path) -> None:
    ended = aborted(home, covel, None, WAITS, "turn", "SESSION", "I wait.", "--json")
    document = json.loads(ended.stdout)
    [execution] = document["executions"]
    assert (document["committed"], execution["committed"]) == (False, False)
    assert document["error"]["code"] == "aborted-by-player"
    assert document["sessionId"] == ended.args[2]


def test_an_aborted_opening_names_the_setup_that_was_committed(covel: Covel, home: Path) -> None:
    setup = function("return success()", schedule={"stage": "setup"})
    ended = aborted(home, covel, setup, WAITS, "turn", "SESSION", "--start", "--json")
    document = json.loads(ended.stdout)
    assert [one["revision"] for one in document["executions"]] == [1, None]
    assert document["committed"] is False
    told = "Aborted in the opening: the setup before it is revision 1."
    assert document["error"]["message"] == told
