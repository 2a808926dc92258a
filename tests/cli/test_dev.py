"""`covel dev`: edits taken over, runs on the newest code, a JSON object a line, clean ends."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.cli.dev_process import DevProcess, covel_dev
from tests.cli.support import (
    DONE,
    STORY,
    Covel,
    call,
    copy_echo,
    with_entry,
    write_package,
    write_script,
)

HELLO = '{"value": "hello"}'


@pytest.fixture
def drafts(home: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "drafts"
    folder.mkdir()
    return folder


@pytest.fixture
def echo(drafts: Path) -> Path:
    return copy_echo(drafts)


def edit(package: Path, old: str, new: str, file: str = "server/index.py") -> None:
    """Change one place of a file, saved as editors do: by renaming."""
    path = package / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(text.replace(old, new), encoding="utf-8")
    draft.replace(path)


def started(dev: DevProcess) -> DevProcess:
    dev.event("started")
    return dev


def test_the_start_names_packages_trust_and_folders(echo: Path) -> None:
    with covel_dev(echo.parent) as dev:
        assert dev.line() == "echo-demo: generation 1, 1 tool, 1 runtime"
        dev.type("q")
        assert dev.wait() == 0
        assert f"The code in {echo.parent} runs: it was named to covel dev." in dev.notes
        assert not [note for note in dev.notes if "Traceback" in note]


def test_an_edit_is_taken_over_and_said_in_one_block(echo: Path) -> None:
    with covel_dev(echo.parent) as dev:
        dev.line()
        edit(echo, "Echo one short value.", "Echo two.")
        block = dev.until("after the edit")
        assert block[0] == "changed echo-demo: server/index.py"
        assert block[1] == (
            "  tool echo-value: description from Echo one short value. to Echo two."
        )
        assert block[2].startswith("  generation 2 in ")
        assert dev.end() == 0


def test_a_run_uses_the_newest_generation_and_the_same_session(echo: Path) -> None:
    with covel_dev(echo, "--json") as dev:
        started(dev)
        dev.type(f"r echo-demo {HELLO}")
        first = dev.event("run")
        assert first["committed"] is True
        assert first["toolCalls"][0]["result"] == {"ok": True, "value": "hello"}
        edit(echo, '"ok": True', '"ok": False')
        assert dev.event("change")["generation"] == 2
        dev.type("r")
        again = dev.event("run")
        assert again["toolCalls"][0]["result"] == {"ok": False, "value": "hello"}
        assert again["sessionId"] == first["sessionId"]
        assert (first["revision"], again["revision"]) == (1, 2)
        dev.type("q")
        assert dev.wait() == 0


def test_tool_calls_are_shown_as_they_come(echo: Path) -> None:
    with covel_dev(echo.parent) as dev:
        dev.line()
        dev.type(f"r echo-demo {HELLO}")
        assert dev.end() == 0
        notes = "\n".join(dev.notes)
        assert '> echo-value {"value":"hello"}' in notes
        assert "< echo-value" in notes
        assert "Committed turn" in notes


def test_a_given_session_is_used(covel: Covel, echo: Path) -> None:
    ran = covel("run", echo, "--payload", HELLO, "--trust", "echo-demo", "--json").json
    with covel_dev(echo, "--json", "--session", ran["sessionId"]) as dev:
        started(dev)
        dev.type(f"r echo-demo {HELLO}")
        assert dev.event("run")["revision"] == 2


def test_an_r_without_an_id_runs_the_only_runtime(drafts: Path, tmp_path: Path) -> None:
    write_package(drafts, "teller", STORY)
    script = write_script(tmp_path / "r.json", {"text": "Fog lifts."}, {"text": "A bell rings."})
    with covel_dev(drafts, "--model", script) as dev:
        assert dev.line() == "teller: generation 1, 1 runtime"
        dev.type("r")
        assert dev.line() == "Fog lifts."
        dev.type("r")
        assert dev.line() == "A bell rings."
        assert dev.end() == 0


def test_an_r_without_an_id_among_several_names_them(drafts: Path) -> None:
    for name in ("bell", "teller"):
        write_package(drafts, name, STORY)
    with covel_dev(drafts, "--json") as dev:
        started(dev)
        dev.type("r")
        error = dev.event("error")
        assert error["code"] == "nothing-to-repeat"
        assert error["hint"] == "Name a runtime: r bell, r teller."


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("r nobody", "package-not-found"),
        ("r echo-demo/nothing", "runtime-not-found"),
        ("r echo-demo {broken", "payload-not-json"),
        ("dance", "unknown-line"),
    ],
)
def test_a_line_that_fails_is_told_and_ends_nothing(echo: Path, line: str, code: str) -> None:
    with covel_dev(echo, "--json") as dev:
        started(dev)
        dev.type(line)
        assert dev.event("error")["code"] == code
        dev.type(f"r echo-demo {HELLO}")
        assert dev.event("run")["committed"] is True


def test_a_broken_edit_keeps_the_last_good_generation(echo: Path) -> None:
    with covel_dev(echo, "--json") as dev:
        started(dev)
        edit(echo, "async def echo_value(", "async def echo_value((")
        change = dev.event("change")
        assert (change["result"], change["generation"]) == ("kept", 1)
        assert change["changes"] == []
        (problem,) = change["diagnostics"]
        assert problem["file"] == "server/index.py"
        assert problem["line"]
        dev.type(f"r echo-demo {HELLO}")
        assert dev.event("run")["committed"] is True
        edit(echo, "async def echo_value((", "async def echo_value(")
        change = dev.event("change")
        assert (change["result"], change["generation"]) == ("swapped", 2)
        assert change["diagnostics"] == []


def test_packages_come_and_go(echo: Path, tmp_path: Path) -> None:
    with covel_dev(echo.parent, "--json") as dev:
        started(dev)
        (echo / "PLUGIN.md.disabled").touch()
        change = dev.event("change")
        assert (change["event"], change["result"]) == ("removed", "removed")
        assert {"kind": "tool", "name": "echo-value", "event": "removed", "details": []} in (
            change["changes"]
        )
        dev.type(f"r echo-demo {HELLO}")
        assert dev.event("error")["code"] == "package-not-found"
        (echo / "PLUGIN.md.disabled").unlink()
        change = dev.event("change")
        assert (change["event"], change["result"]) == ("added", "swapped")
        shutil.copytree(echo, tmp_path / "bell")
        (tmp_path / "bell").rename(echo.parent / "bell")
        assert dev.event("change")["pluginId"] == "bell"
        dev.type(f"r bell {HELLO}")
        assert dev.event("run")["committed"] is True


def test_a_package_that_was_broken_from_the_start_is_loaded_once_it_is_mended(
    drafts: Path,
) -> None:
    package = with_entry(drafts, "bell", "raise ValueError('no')\n")
    with covel_dev(drafts) as dev:
        block = dev.until("error[")
        assert block[0] == "bell: not loaded"
        shutil.copy(copy_echo(drafts.parent) / "server" / "index.py", package / "server")
        block = dev.until("after the edit")
        assert "  brings 1 tool, 1 runtime" in block
        assert block[-1].startswith("  generation 1 in ")


def test_a_run_under_way_ends_on_its_own_generation(echo: Path) -> None:
    begun, tells = os.pipe()
    waits, go = os.pipe()
    edit(
        echo,
        '    return {"ok": True, ',
        "    import asyncio, os\n"
        f"    os.write({tells}, b'begun')\n"
        f"    await asyncio.to_thread(os.read, {waits}, 1)\n"
        '    return {"ok": 1, ',
    )
    with covel_dev(echo, "--json", pass_fds=[tells, waits]) as dev, os.fdopen(go, "wb") as gate:
        started(dev)
        dev.type(f"r echo-demo {HELLO}")
        assert os.read(begun, 5) == b"begun"
        edit(echo, '"ok": 1', '"ok": 2')
        assert dev.event("change")["generation"] == 2
        gate.write(b"12")
        gate.flush()
        assert dev.event("run")["toolCalls"][0]["result"]["ok"] == 1
        dev.type("r")
        assert dev.event("run")["toolCalls"][0]["result"]["ok"] == 2
    os.close(begun)


def test_only_named_folders_are_trusted(plugins: Path, echo: Path) -> None:
    with_entry(plugins, "stranger", "open('ran', 'w')\n")
    with covel_dev(echo.parent, "--json") as dev:
        packages = dev.event("started")["packages"]
        assert [package["pluginId"] for package in packages] == ["echo-demo"]
        dev.type(f"r stranger {HELLO}")
        assert dev.event("error")["code"] == "approval-required"
    assert not Path("ran").exists()


def test_without_a_path_all_trusted_packages_are_loaded(plugins: Path) -> None:
    copy_echo(plugins)
    with_entry(plugins, "stranger", "open('ran', 'w')\n")
    with covel_dev("--json", "--trust", "echo-demo") as dev:
        packages = {found["pluginId"]: found for found in dev.event("started")["packages"]}
        assert packages["echo-demo"]["status"] == "loaded"
        assert packages["stranger"]["status"] == "untrusted"
    assert not Path("ran").exists()


def test_a_plugins_dir_is_named_as_well(echo: Path) -> None:
    with covel_dev("--plugins-dir", echo.parent, "--json") as dev:
        (package,) = dev.event("started")["packages"]
        assert package["status"] == "loaded"


def test_the_end_of_the_input_ends_it_after_the_last_run(echo: Path) -> None:
    with covel_dev(echo, "--json") as dev:
        started(dev)
        dev.type(f"r echo-demo {HELLO}")
        assert dev.end() == 0
        (document,) = [json.loads(line) for line in dev.rest()]
        assert document["committed"] is True


def test_ctrl_c_while_nothing_runs_ends_it_cleanly(echo: Path) -> None:
    with covel_dev(echo, "--json") as dev:
        started(dev)
        dev.type("?")
        edit(echo, "Echo one short value.", "Echo two.")
        dev.event("change")
        dev.interrupt()
        assert dev.wait() == 0
        assert not [note for note in dev.notes if "Traceback" in note or "rror" in note]


def test_ctrl_c_while_something_runs_aborts_that_alone(
    covel: Covel, echo: Path, tmp_path: Path
) -> None:
    slow = {"text": "too late", "delayMs": 60_000}
    script = write_script(
        tmp_path / "r.json",
        call("echo-value", {"value": "x"}),
        slow,
        call("echo-value", {"value": "y"}),
        DONE,
    )
    begun, tells = os.pipe()
    edit(echo, "    return {", f"    __import__('os').write({tells}, b'begun')\n    return {{")
    with covel_dev(echo, "--json", "--model", script, pass_fds=[tells]) as dev:
        started(dev)
        dev.type(f"r echo-demo {HELLO}")
        assert os.read(begun, 5) == b"begun"
        edit(echo, "Echo one short value.", "Echo two.")
        dev.event("change")
        dev.interrupt()
        error = dev.event("error")
        assert error["code"] == "aborted-by-player"
        assert error["message"] == "Aborted: nothing was committed."
        dev.type("r")
        run = dev.event("run")
        assert run["committed"] is True
        dev.type("q")
        assert dev.wait() == 0
    os.close(begun)
    shown = covel("sessions", "show", run["sessionId"], "--json").json
    assert shown["session"]["revision"] == 1


def test_each_line_of_the_json_output_is_one_object(echo: Path) -> None:
    with covel_dev(echo, "--json") as dev:
        start = dev.event("started")
        assert start["packages"][0] == {
            "pluginId": "echo-demo", "status": "loaded", "generation": 1, "diagnostics": [],
        }  # fmt: skip
        assert str(echo) in start["folders"]
        edit(echo, "value: Annotated[", "times: int,\n    value: Annotated[")
        change = dev.event("change")
        assert set(change) == {
            "type", "pluginId", "event", "files", "result", "generation", "changes",
            "diagnostics", "loadMs", "sinceEditMs",
        }  # fmt: skip
        assert change["files"] == [{"file": "server/index.py", "kind": "changed"}]
        assert change["changes"] == [
            {
                "kind": "tool",
                "name": "echo-value",
                "event": "changed",
                "details": ["parameter times added"],
            }
        ]
        dev.type("?")
        dev.type(f"r echo-demo {HELLO}")
        assert dev.end() == 0
        for line in dev.rest():
            assert "type" in json.loads(line)


def test_what_packages_print_stays_out_of_the_output(drafts: Path, home: Path) -> None:
    code = (copy_echo(drafts.parent) / "server" / "index.py").read_text()
    with_entry(drafts, "loud", f"print('at import')\n{code}")
    with covel_dev(drafts) as dev:
        assert dev.line() == "loud: generation 1, 1 tool, 1 runtime"
        assert dev.end() == 0
        assert not dev.rest()
    assert "at import" in (home / "logs" / "covel.log").read_text(encoding="utf-8")


def test_the_help_is_shown(echo: Path) -> None:
    with covel_dev(echo) as dev:
        dev.line()
        dev.type("?")
        assert dev.until("q  ")[0].startswith("r  ")


def test_a_path_that_is_no_folder_is_wrong_usage(covel: Covel, tmp_path: Path) -> None:
    assert covel("dev", tmp_path / "nothing").code == 2


HANGS = "import time\ntime.sleep(600)\n"


def test_a_load_that_hangs_gives_way_to_a_newer_edit(echo: Path) -> None:
    with covel_dev(echo, "--json") as dev:
        started(dev)
        path = echo / "server" / "index.py"
        good = path.read_text(encoding="utf-8")
        path.write_text(HANGS + good, encoding="utf-8")
        dev.type("r")
        assert dev.event("note")["message"] == (
            "Waiting until 'echo-demo' is loaded; Ctrl-C ends the waiting."
        )
        path.write_text(f"{good}\n# better\n", encoding="utf-8")
        assert "goes before a load that is not done" in dev.event("note")["message"]
        assert dev.event("change")["generation"] == 2
        assert dev.event("run")["committed"] is not None
        assert dev.end() == 0


def test_ctrl_c_ends_the_waiting_for_a_load_that_hangs(echo: Path) -> None:
    with covel_dev(echo, "--json") as dev:
        started(dev)
        path = echo / "server" / "index.py"
        path.write_text(HANGS, encoding="utf-8")
        dev.type("r")
        dev.event("note")
        dev.interrupt()
        assert json.loads(dev.line())["code"] == "aborted-by-player"
        dev.interrupt()
        assert dev.wait() == 0


def test_what_was_saved_before_the_line_is_what_runs(echo: Path) -> None:
    with covel_dev(echo, "--json") as dev:
        started(dev)
        dev.type(f"r echo-demo {HELLO}")
        dev.event("run")
        for number in range(5):
            old = '"ok": True' if number == 0 else f'"ok": {number - 1}'
            edit(echo, old, f'"ok": {number}')
            dev.type("r")
            assert dev.event("run")["toolCalls"][0]["result"]["ok"] == number


def test_code_that_may_not_run_is_said_to_be_that(plugins: Path, covel: Covel) -> None:
    package = copy_echo(plugins)
    with covel_dev("--json") as dev:
        (listed,) = started_packages(dev)
        assert listed["status"] == "untrusted"
        edit(package, '"ok": True', '"ok": 1')
        change = dev.event("change")
        assert change["result"] == "failed"
        assert [found["name"] for found in change["diagnostics"]] == ["code-not-trusted"]


def test_grants_that_come_and_go_meanwhile_count(plugins: Path, covel: Covel) -> None:
    copy_echo(plugins)
    with covel_dev("--json") as dev:
        started(dev)
        dev.type(f"r echo-demo {HELLO}")
        assert json.loads(dev.line())["code"] == "approval-required"
        covel("trust", "grant", "echo-demo", "--yes")
        dev.type(f"r echo-demo {HELLO}")
        assert dev.event("run")["committed"] is True
        covel("trust", "revoke", "echo-demo")
        dev.type("r")
        refused = json.loads(dev.line())
        assert refused["code"] == "approval-required"
        assert "its trust was revoked" in refused["message"]


def test_what_packages_print_and_where_they_fail_is_told_beside(echo: Path) -> None:
    edit(
        echo,
        "@hookimpl",
        "@hookimpl\ndef on_unload():\n    raise ValueError('stuck')\n\n\n@hookimpl",
    )
    line = 1 + (echo / "server" / "index.py").read_text().splitlines().index(
        "    raise ValueError('stuck')"
    )
    with covel_dev(echo) as dev:
        dev.line()
        edit(echo, "@hookimpl", "print('here I am')\n\n\n@hookimpl")
        dev.until("after the edit")
        edit(echo, '"ok": True', '"ok": 1 / 0')
        dev.until("after the edit")
        dev.type(f"r {HELLO}")
        dev.type(f"r echo-demo {HELLO}")
        assert dev.end() == 0
    assert "log: echo-demo: printed while loading: here I am" in dev.notes
    place = echo / "server" / "index.py"
    assert f"log: ValueError at {place}:{line} in on_unload: stuck" in dev.notes
    assert [note for note in dev.notes if note.startswith("log: ZeroDivisionError at ")]


def started_packages(dev: DevProcess) -> list[dict[str, object]]:
    packages: list[dict[str, object]] = dev.event("started")["packages"]
    return packages
