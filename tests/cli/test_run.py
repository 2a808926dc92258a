"""`covel run`: targets, trust, what is shown, what is committed."""

import io
import sys
from pathlib import Path
from typing import Any

import pytest

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
from tests.support.service_packages import write_function, write_provider

COUNT = """
    async def handle(ctx):
        (offer,) = await ctx.services.discover("stock.take@1")
        answer = await ctx.services.call(offer, {"name": "rope", "count": -1})
        return answer["count"]
"""
HELLO = ("--payload", '{"value": "hello"}')


@pytest.fixture
def echo(plugins: Path) -> Path:
    return copy_echo(plugins)


def sessions(covel: Covel) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = covel("sessions", "list", "--json").json["sessions"]
    return found


def test_a_run_shows_its_calls_and_commits(covel: Covel, echo: Path) -> None:
    ran = covel("run", "echo-demo", *HELLO, "--trust", "echo-demo")
    assert ran.code == 0
    assert '> echo-value {"value":"hello"}' in ran.err
    assert "< echo-value" in ran.err
    assert "as revision 1 of session" in ran.err
    (session,) = sessions(covel)
    assert f"covel sessions show {session['sessionId']}" in ran.err


def test_the_json_of_a_run_is_the_documented_shape(covel: Covel, echo: Path) -> None:
    ran = covel("run", "echo-demo", *HELLO, "--trust", "echo-demo", "--json")
    document = ran.json
    assert ran.code == 0
    assert set(document) == {
        "sessionId", "turnId", "runtimeId", "committed", "revision", "status", "output", "text",
        "toolCalls", "usage", "warnings",
    }  # fmt: skip
    assert (document["committed"], document["revision"]) == (True, 1)
    first = document["toolCalls"][0]
    assert first["name"] == "echo-value"
    assert first["arguments"] == {"value": "hello"}
    assert first["status"] == "completed"
    assert first["result"] == {"ok": True, "value": "hello"}
    assert first["envelope"] == '{"data":{"ok":true,"value":"hello"}}'
    assert document["usage"]["modelCalls"] == 2
    assert "> echo-value" not in ran.err


def test_without_a_model_the_offline_model_answers_and_says_so(covel: Covel, echo: Path) -> None:
    ran = covel("run", "echo-demo", *HELLO, "--trust", "echo-demo")
    assert "the offline model answers" in ran.err


def test_prose_goes_to_standard_output_alone(covel: Covel, plugins: Path, tmp_path: Path) -> None:
    write_package(plugins, "teller", STORY)
    script = write_script(tmp_path / "replies.json", {"text": "The fog lifts.\nA bell rings."})
    ran = covel("run", "teller", "--model", script)
    assert (ran.code, ran.out) == (0, "The fog lifts.\nA bell rings.\n")


def test_a_dropped_draft_ends_its_line(covel: Covel, plugins: Path, tmp_path: Path) -> None:
    with_entry(plugins, "teller", (copy_echo(tmp_path) / "server" / "index.py").read_text())
    script = write_script(
        tmp_path / "replies.json",
        {"text": "Thinking aloud", **call("echo-value", {"value": "x"})},
        DONE,
    )
    ran = covel("run", "teller", "--model", script, "--trust", "teller")
    assert ran.code == 0
    assert ran.out == "Thinking aloud\n"


def test_a_message_is_kept_as_the_player_s(covel: Covel, plugins: Path, tmp_path: Path) -> None:
    write_package(plugins, "teller", STORY)
    script = write_script(tmp_path / "replies.json", {"text": "You do."})
    document = covel("run", "teller", "--model", script, "--message", "I go north.", "--json").json
    shown = covel("sessions", "show", document["sessionId"], "--json").json
    assert [(found["source"], found["content"]) for found in shown["messages"]] == [
        ("player", "I go north."),
        ("runtime", "You do."),
    ]


def test_a_session_goes_on(covel: Covel, echo: Path) -> None:
    first = covel("run", "echo-demo", *HELLO, "--trust", "echo-demo", "--json").json
    again = covel(
        "run", "echo-demo", *HELLO, "--trust", "echo-demo", "--session", first["sessionId"],
        "--json",
    ).json  # fmt: skip
    assert again["sessionId"] == first["sessionId"]
    assert again["revision"] == 2
    assert len(sessions(covel)) == 1


def test_the_locale_is_that_of_a_new_session(covel: Covel, echo: Path) -> None:
    covel("run", "echo-demo", *HELLO, "--trust", "echo-demo", "--locale", "zh-CN")
    assert sessions(covel)[0]["locale"] == "zh-CN"


def test_a_runtime_is_named_behind_its_package(covel: Covel, plugins: Path) -> None:
    package = write_package(plugins, "pair", "---\ndescription: Two.\n---\n")
    for name in ("left", "right"):
        (package / "runtimes" / name).mkdir(parents=True)
        text = "---\nschedule:\n  trigger: { type: manual }\nio: { visibility: story }\n---\nSay.\n"
        (package / "runtimes" / name / "RUNTIME.md").write_text(text, encoding="utf-8")
    refused = covel("run", "pair", "--model", "offline")
    assert refused.code == 1
    assert "pair/left, pair/right" in refused.err
    ran = covel("run", "pair/left", "--model", "offline", "--json").json
    assert ran["runtimeId"] == "pair/left"
    by_path = covel("run", f"{package}/right", "--model", "offline", "--json").json
    assert by_path["runtimeId"] == "pair/right"


def test_a_package_runs_from_a_path(covel: Covel, tmp_path: Path) -> None:
    package = copy_echo(tmp_path / "drafts", "draft")
    ran = covel("run", package, *HELLO, "--trust", "draft", "--json")
    assert (ran.code, ran.json["runtimeId"]) == (0, "draft")


def test_a_path_goes_before_the_user_folder_and_says_what_it_hides(
    covel: Covel, plugins: Path, tmp_path: Path
) -> None:
    with_entry(plugins, "echo-demo", "raise ValueError('the hidden one')\n")
    package = copy_echo(tmp_path / "drafts")
    ran = covel("run", package, *HELLO, "--trust", "echo-demo")
    assert ran.code == 0
    assert "is hidden by the one in" in ran.err
    assert str(plugins) in ran.err


def test_a_bundled_package_goes_before_a_path_and_that_is_said(
    covel: Covel, tmp_path: Path
) -> None:
    copy_echo(tmp_path / "bundled")
    package = with_entry(tmp_path / "drafts", "echo-demo", "raise ValueError('the hidden one')\n")
    ran = covel("run", package, *HELLO)
    assert ran.code == 0
    assert f"in {str(package.parent)!r} is hidden by the one in" in ran.err


def test_a_package_of_the_user_folder_named_by_its_path_hides_nothing(
    covel: Covel, echo: Path
) -> None:
    ran = covel("run", echo, *HELLO, "--trust", "echo-demo")
    assert ran.code == 0
    assert "hidden" not in ran.err


def test_only_the_package_that_runs_is_loaded(covel: Covel, echo: Path, plugins: Path) -> None:
    with_entry(plugins, "other", "open('ran', 'w')\n")
    trust = ("--trust", "echo-demo", "--trust", "other")
    assert covel("run", "echo-demo", *HELLO, *trust).code == 0
    assert not Path("ran").exists()


def test_untrusted_code_is_refused_with_advice_and_nothing_is_made(
    covel: Covel, echo: Path, home: Path
) -> None:
    refused = covel("run", "echo-demo", *HELLO, "--json")
    assert refused.code == 1
    assert refused.json["error"]["code"] == "approval-required"
    assert "--trust echo-demo" in refused.json["error"]["hint"]
    assert not (home / "covel.db").exists()


def test_a_trusted_source_is_said_in_one_line(
    covel: Covel, echo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COVEL_TRUST", "echo-demo")
    ran = covel("run", "echo-demo", *HELLO)
    assert "Running the code of 'echo-demo', trusted by COVEL_TRUST.\n" in ran.err


def test_a_package_without_code_needs_no_trust(covel: Covel, plugins: Path) -> None:
    write_package(plugins, "teller", STORY)
    ran = covel("run", "teller", "--model", "offline")
    assert ran.code == 0
    assert "trust" not in ran.err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_at_a_terminal_trust_is_asked_for_once(
    covel: Covel, echo: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ran = covel("run", "echo-demo", *HELLO)
    assert ran.code == code
    assert ran.err.count("Run the code of 'echo-demo'") == 1
    assert ("was not run: nobody has trusted it" in ran.err) is (code == 1)


def test_with_json_nobody_is_asked(
    covel: Covel, echo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert covel("run", "echo-demo", *HELLO, "--json").json["error"]["code"] == (
        "approval-required"
    )


def test_what_a_package_prints_and_logs_stays_out_of_the_output(
    covel: Covel, plugins: Path, home: Path
) -> None:
    code = (
        "import logging\nfrom plugin_sdk import hookimpl, tool\n"
        "print('at import')\n"
        "@tool(name='echo-value')\n"
        "async def echo_value(value: str) -> object:\n"
        "    '''Echo.'''\n"
        "    print('in a call')\n"
        "    logging.getLogger('mine').warning('a warning')\n"
        "    return {'ok': True}\n"
        "@hookimpl\ndef register_tools():\n    return [echo_value]\n"
    )
    with_entry(plugins, "loud", code)
    ran = covel("run", "loud", *HELLO, "--trust", "loud", "--json")
    assert ran.json["committed"] is True
    assert "a warning" not in ran.err
    log = (home / "logs" / "covel.log").read_text(encoding="utf-8")
    assert "at import" in log
    assert "in a call" in log
    assert "a warning" in log


def test_an_unknown_log_level_is_refused(
    covel: Covel, echo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COVEL_LOG", "LOUD")
    refused = covel("run", "echo-demo", *HELLO)
    assert refused.code == 1
    assert "COVEL_LOG is 'LOUD'" in refused.err


def test_a_run_may_bring_further_packages_which_its_session_keeps(
    covel: Covel, plugins: Path
) -> None:
    write_provider(plugins.parent)
    write_function(plugins.parent, handler=COUNT)
    trusted = ("--trust", "trader", "--trust", "stock", "--json")
    first = covel("run", "trader", "--with", "stock", *trusted).json
    assert first["output"] == {"value": 1}
    again = covel("run", "trader", "--session", first["sessionId"], *trusted).json
    assert again["output"] == {"value": 2}


def test_a_further_package_whose_code_takes_no_part_is_named(covel: Covel, plugins: Path) -> None:
    write_provider(plugins.parent)
    write_function(plugins.parent, handler="async def handle(ctx):\n    return 1\n")
    run = ("run", "trader", "--with", "stock", "--trust", "trader")
    ran = covel(*run)
    assert ran.code == 0
    assert "warning: The code of 'stock' was not run: nobody has trusted it.\n" in ran.err
    assert "--trust stock" in ran.err
    with (plugins / "stock" / "server" / "index.py").open("a", encoding="utf-8") as file:
        file.write("raise RuntimeError('no shelf')\n")
    ran = covel(*run, "--trust", "stock")
    assert ran.code == 0
    assert "warning: The package 'stock' was not loaded. server/index.py:" in ran.err
    assert "no shelf" in ran.err


def test_a_further_package_that_is_nowhere_is_named(covel: Covel, plugins: Path) -> None:
    write_function(plugins.parent, handler=COUNT)
    called = covel("run", "trader", "--with", "stok", "--trust", "trader")
    assert called.code != 0
    assert "'stok'" in called.err
