"""Ctrl-C, a killed process, a reader that goes away: what is committed is what is said."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import (
    SCRIPT,
    STORY,
    Covel,
    call,
    copy_echo,
    write_package,
    write_script,
)

SLOW = {"text": "too late", "delayMs": 60_000}


@pytest.fixture
def slow_run(plugins: Path, tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A run in a process of its own that has made one call and waits for its model."""
    yield from _running(plugins, tmp_path)


@pytest.fixture
def slow_json_run(plugins: Path, tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    yield from _running(plugins, tmp_path, "--json")


def _running(plugins: Path, tmp_path: Path, *options: str) -> Iterator["subprocess.Popen[str]"]:
    entry = copy_echo(plugins) / "server" / "index.py"
    reading, writing = os.pipe()
    told = f"    __import__('os').write({writing}, b'called')\n    return {{"
    code = entry.read_text(encoding="utf-8").replace("    return {", told, 1)
    entry.write_text(code, encoding="utf-8")
    script = write_script(tmp_path / "r.json", call("echo-value", {"value": "x"}), SLOW)
    process = subprocess.Popen(
        [SCRIPT, "run", "echo-demo", "--trust", "echo-demo", "--model", script, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=[writing],
    )
    os.close(writing)
    with process, os.fdopen(reading, "rb") as pipe:
        assert pipe.read(6) == b"called", process.communicate()
        yield process
        process.kill()


def without_reader(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """A call whose standard output nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        return subprocess.run(
            [SCRIPT, *arguments], stdout=closed, stderr=subprocess.PIPE, text=True, timeout=60
        )


def kept(covel: Covel) -> dict[str, Any]:
    (session,) = covel("sessions", "list", "--json").json["sessions"]
    shown: dict[str, Any] = covel("sessions", "show", session["sessionId"], "--json").json
    return shown


def test_ctrl_c_commits_nothing_and_says_so(
    covel: Covel, slow_run: "subprocess.Popen[str]"
) -> None:
    slow_run.send_signal(signal.SIGINT)
    out, err = slow_run.communicate(timeout=30)
    assert (slow_run.returncode, out) == (1, "")
    assert err.splitlines()[-1] == "Aborted: nothing was committed."
    assert "Traceback" not in err
    shown = kept(covel)
    assert shown["session"]["revision"] == 0
    (turn,) = shown["turns"]
    assert turn["failure"]["code"] == "aborted-by-player"


def test_ctrl_c_with_json_is_one_document(
    covel: Covel, slow_json_run: "subprocess.Popen[str]"
) -> None:
    slow_json_run.send_signal(signal.SIGINT)
    out, _ = slow_json_run.communicate(timeout=30)
    document = json.loads(out)
    assert slow_json_run.returncode == 1
    assert document["committed"] is False
    assert document["error"]["code"] == "aborted-by-player"
    assert document["sessionId"] == kept(covel)["session"]["sessionId"]


def test_kill_between_call_and_commit_leaves_no_half_turn(
    covel: Covel, slow_run: "subprocess.Popen[str]"
) -> None:
    slow_run.kill()
    slow_run.wait(timeout=30)
    shown = kept(covel)
    assert shown["session"]["revision"] == 0
    assert shown["messages"] == []
    assert all(turn["commitStatus"] != "committed" for turn in shown["turns"])
    again = covel(
        "run", "echo-demo", "--model", "offline", "--trust", "echo-demo", "--payload", "1"
    )
    assert again.err


@pytest.mark.parametrize(("status", "code"), [(None, 0), (401, 1)], ids=["committed", "failed"])
def test_without_a_reader_the_exit_code_still_tells(
    plugins: Path, tmp_path: Path, status: int | None, code: int
) -> None:
    write_package(plugins, "teller", STORY)
    reply = {"text": "A line."} if status is None else {"error": {"status": status}}
    script = write_script(tmp_path / "r.json", reply)
    assert without_reader("run", "teller", "--model", script, "--json").returncode == code


def test_a_reader_that_goes_away_does_not_stop_the_commit(
    covel: Covel, plugins: Path, tmp_path: Path
) -> None:
    write_package(plugins, "teller", STORY)
    script = write_script(tmp_path / "r.json", {"text": "A long story.\n" * 100})
    done = without_reader("run", "teller", "--model", script)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert kept(covel)["session"]["revision"] == 1
