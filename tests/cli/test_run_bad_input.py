"""Bad input of a run: a clear error with place and advice, nothing half-written."""

import functools
from pathlib import Path
from typing import Any

import pytest

from covel_host import opening
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

HELLO = ("--payload", '{"value": "hello"}')
REGISTER = (
    "from plugin_sdk import hookimpl, tool\n"
    "@tool(name='{name}')\nasync def made(value: str) -> object:\n    '''Make.'''\n    return 1\n"
    "@hookimpl\ndef register_tools():\n    return [made]\n"
)


@pytest.mark.parametrize(
    ("payload", "place"),
    [
        ('{"value": hello}', "line 1, column 11"),
        ("{", "line 1, column 2"),
        ('{\n  "a": 1,\n}', "line 2, column 9"),
        ("", "line 1, column 1"),
        ("NaN", "line 1, column 1"),
        ("'{}'", "line 1, column 1"),
    ],
)
def test_a_payload_that_is_no_json_is_refused_with_its_place(
    covel: Covel, plugins: Path, home: Path, payload: str, place: str
) -> None:
    copy_echo(plugins)
    refused = covel("run", "echo-demo", "--payload", payload, "--trust", "echo-demo", "--json")
    assert refused.code == 1
    assert refused.json["error"]["code"] == "payload-not-json"
    assert place in refused.json["error"]["message"]
    assert "--payload '{" in refused.json["error"]["hint"]
    assert not (home / "covel.db").exists()


def test_a_payload_that_breaks_the_schema_is_refused(
    covel: Covel, plugins: Path, home: Path
) -> None:
    manifest = STORY.replace("visibility: story", "payloadSchema: ./payload.json")
    package = write_package(plugins, "strict", manifest)
    (package / "payload.json").write_text('{"type": "object"}', encoding="utf-8")
    refused = covel("run", "strict", "--payload", "3", "--model", "offline", "--json")
    assert refused.code == 1
    assert refused.json["error"]["code"] == "payload-invalid"
    assert not (home / "covel.db").exists()


def check_not_loaded(covel: Covel, home: Path, name: str, *said: str) -> None:
    """The package is refused with place and reason, another one runs, nothing was stored."""
    refused = covel("run", name, *HELLO, "--trust", name)
    assert refused.code == 1
    assert refused.out == ""
    assert "Traceback" not in refused.err
    for text in said:
        assert text in refused.err
    assert not (home / "covel.db").exists()
    copy_echo(home / "plugins", "the-good-one")
    assert covel("run", "the-good-one", *HELLO, "--trust", "the-good-one").code == 0


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = 1\nraise ValueError('no moon')\n", ("server/index.py:2", "ValueError: no moon")),
        ("import no_such_library\n", ("server/index.py:1", "python -m pip install")),
        ("def f(:\n", ("server/index.py:1", "SyntaxError")),
        ("import sys\nsys.exit(7)\n", ("server/index.py:2", "SystemExit")),
        (REGISTER.format(name="runtime-done"), ("server/index.py:2", "runtime-done")),
        (REGISTER.format(name="undeclared"), ("server/index.py:2", "'undeclared' is registered")),
        ("", ("PLUGIN.md:4", "echo-value")),
        (REGISTER.format(name="echo-value").replace("[made]", "5"), ("register_tools",)),
    ],
    ids=["raises", "library", "syntax", "exits", "reserved", "undeclared", "missing", "no-list"],
)
def test_an_entry_that_cannot_be_loaded_is_refused_with_its_place(
    covel: Covel, plugins: Path, home: Path, code: str, said: tuple[str, ...]
) -> None:
    with_entry(plugins, "faulty", code)
    check_not_loaded(covel, home, "faulty", *said)


def test_an_entry_that_hangs_is_given_up(
    covel: Covel, plugins: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_entry(plugins, "faulty", "import threading\nthreading.Event().wait()\n")
    short = functools.partial(opening.load_catalog, limit_s=0.2)
    monkeypatch.setattr("covel_host.cli.run_execution.load_catalog", short)
    check_not_loaded(covel, home, "faulty", "server/index.py:2", "0.2 s")


def test_a_manifest_with_an_error_is_named_with_its_line(
    covel: Covel, plugins: Path, home: Path
) -> None:
    write_package(plugins, "faulty", "---\ndescription: a: b\n---\n", "")
    check_not_loaded(covel, home, "faulty", "PLUGIN.md:2")


@pytest.mark.parametrize(
    ("target", "code", "said"),
    [
        ("nowhere", "package-not-found", "covel plugins list"),
        ("echo-dem", "package-not-found", "echo-demo"),
        ("echo-demo/left", "runtime-not-found", "echo-demo"),
        ("./nowhere", "package-not-found", "PLUGIN.md"),
        ("/dev/null", "package-not-found", "PLUGIN.md"),
    ],
)
def test_a_target_that_is_not_there_is_refused(
    covel: Covel, plugins: Path, home: Path, target: str, code: str, said: str
) -> None:
    copy_echo(plugins)
    refused = covel("run", target, "--trust", "echo-demo", "--json")
    assert refused.code == 1
    assert refused.json["error"]["code"] == code
    assert said in refused.err
    assert not (home / "covel.db").exists()


def test_a_bare_name_is_never_a_folder(covel: Covel, home: Path) -> None:
    copy_echo(Path())
    refused = covel("run", "echo-demo")
    assert refused.code == 1
    assert "named by its path: ./echo-demo" in refused.err


@pytest.mark.parametrize(
    "model", ["story", "", "scripted:", "scripted:nowhere.json"], ids=lambda model: model or "-"
)
def test_a_model_that_is_not_there_is_refused(
    covel: Covel, plugins: Path, home: Path, model: str
) -> None:
    write_package(plugins, "teller", STORY)
    refused = covel("run", "teller", "--model", model, "--json")
    assert refused.code == 1
    assert refused.json["error"]["message"]
    assert covel("sessions", "list", "--json").json == {"sessions": []}


def test_a_session_that_is_not_there_is_refused(covel: Covel, plugins: Path) -> None:
    write_package(plugins, "teller", STORY)
    refused = covel("run", "teller", "--model", "offline", "--session", "session-0", "--json")
    assert refused.code == 1
    assert refused.json["error"]["code"] == "session-not-found"


def failed_run(covel: Covel, plugins: Path, script: str, *arguments: str) -> dict[str, Any]:
    """A run that fails, as JSON, and what the store kept of it: the failed turn alone."""
    ran = covel("run", "echo-demo", "--trust", "echo-demo", "--model", script, "--json", *arguments)
    document: dict[str, Any] = ran.json
    assert ran.code == 1
    assert document["committed"] is False
    assert document["revision"] is None
    assert document["error"]["message"]
    shown = covel("sessions", "show", document["sessionId"], "--json").json
    assert shown["session"]["revision"] == 0
    assert shown["messages"] == []
    assert [turn["commitStatus"] for turn in shown["turns"]] == ["failed"]
    assert shown["turns"][0]["failure"]["code"] == document["error"]["code"]
    return document


def test_a_model_that_calls_unknown_tools_never_gets_them(
    covel: Covel, plugins: Path, tmp_path: Path
) -> None:
    copy_echo(plugins)
    script = write_script(tmp_path / "r.json", *[call("launch-rocket", {"n": n}) for n in range(9)])
    document = failed_run(covel, plugins, script, "--message", "Go.")
    assert {called["error"]["code"] for called in document["toolCalls"]} == {"unavailable"}


def test_a_model_that_breaks_the_schema_is_told_and_may_mend_it(
    covel: Covel, plugins: Path, tmp_path: Path
) -> None:
    copy_echo(plugins)
    script = write_script(
        tmp_path / "r.json", call("echo-value", {"value": ""}), call("echo-value", {"value": "x"})
    )
    ran = covel("run", "echo-demo", "--trust", "echo-demo", "--model", script, "--json")
    first, second = ran.json["toolCalls"][:2]
    assert (first["status"], first["error"]["code"]) == ("failed", "invalid-input")
    assert "value" in first["envelope"]
    assert second["status"] == "completed"


def test_a_model_that_never_finishes_is_ended(covel: Covel, plugins: Path, tmp_path: Path) -> None:
    copy_echo(plugins)
    replies = [call("echo-value", {"value": str(number)}) for number in range(9)]
    failed_run(covel, plugins, write_script(tmp_path / "r.json", *replies))


def test_a_script_that_runs_out_fails_the_run(covel: Covel, plugins: Path, tmp_path: Path) -> None:
    copy_echo(plugins)
    document = failed_run(covel, plugins, write_script(tmp_path / "r.json"))
    assert document["error"]["code"] == "script-exhausted"


def test_a_failed_run_says_what_and_that_nothing_was_committed(
    covel: Covel, plugins: Path, tmp_path: Path
) -> None:
    copy_echo(plugins)
    script = write_script(tmp_path / "r.json", {"error": {"status": 401}})
    ran = covel("run", "echo-demo", "--trust", "echo-demo", "--model", script)
    assert (ran.code, ran.out) == (1, "")
    assert "error: " in ran.err
    assert "Nothing was committed" in ran.err


def test_a_tool_that_raises_fails_its_call_alone(
    covel: Covel, plugins: Path, tmp_path: Path
) -> None:
    code = REGISTER.format(name="echo-value").replace("return 1", "raise KeyError('secret')")
    with_entry(plugins, "echo-demo", code)
    script = write_script(tmp_path / "r.json", call("echo-value", {"value": "x"}), DONE)
    document = covel("run", "echo-demo", "--trust", "echo-demo", "--model", script, "--json").json
    first = document["toolCalls"][0]
    assert first["error"]["code"] == "internal"
    assert "Traceback" not in first["envelope"]


def test_all_problems_of_a_package_are_shown_and_in_the_json(covel: Covel, plugins: Path) -> None:
    with_entry(plugins, "faulty", REGISTER.format(name="undeclared"))
    refused = covel("run", "faulty", "--trust", "faulty", "--json")
    names = [found["name"] for found in refused.json["error"]["diagnostics"]]
    assert names == ["registration-missing", "registration-undeclared"]
    assert "error: The package 'faulty' was not loaded: 2 problems." in refused.err
    assert "@tool(name='undeclared')" in refused.err
