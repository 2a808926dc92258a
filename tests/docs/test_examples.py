"""The examples of README and docs do what the text beside them says."""

import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from covel_host.cli.app import covel as program
from covel_host.cli.app import run
from covel_host.models.script_file import read_script
from tests.cli.support import Called, Covel
from tests.docs.pages import PAGES, ROOT, SAMPLES, samples

EXAMPLES = [sample for sample in SAMPLES if sample.mark == "example"]


def blocks(page: Path, language: str) -> list[str]:
    return [sample.text for sample in samples(page) if sample.language == language]


def marked() -> dict[str, str]:
    """The marked examples of all pages by their path."""
    return {sample.path: sample.text for sample in EXAMPLES}


def readme_package() -> dict[str, str]:
    (manifest,) = blocks(ROOT / "README.md", "markdown")
    (entry,) = blocks(ROOT / "README.md", "python")
    return {"my-echo/PLUGIN.md": manifest, "my-echo/server/index.py": entry}


FILES = {**marked(), **readme_package()}
PACKAGES = sorted({path.split("/")[0] for path in FILES if "/" in path})
RUNS = {
    "dice-cup": ('{"sides": 6}', ["roll-dice", "runtime-done"]),
    "herb-notes/gather": ('{"name": "mint"}', ["add-herb", "list-herbs", "runtime-done"]),
    "dice-tower": ('{"dice": 2, "sides": 6}', ["keep-best"]),
    "guest-book": ('{"name": "Ada"}', ["guests-list", "guests-upsert", "runtime-done"]),
    "ink-well": ('{"color": "black"}', ["mix-ink", "runtime-done"]),
    "lamp-keeper": ('{"lamp": "pier"}', ["light-lamp", "runtime-done"]),
    "herb-market": ('{"name": "mint"}', ["buy-herb", "runtime-done"]),
    "tide-diary": (
        '{"day": "third", "text": "Ysolde lit the lamp."}',
        ["diary-upsert", "runtime-done"],
    ),
    "my-echo": ('{"value": "hello"}', ["echo-value", "runtime-done"]),
}
"""What the pages run, with the payload and the tools that are called."""
CALLED = (
    "gate-keeper",
    "tide-ledger",
    "coin-purse",
    "dice-bag",
    "tavern-guest",
    "tide-choir",
    "tide-hints",
)
"""Packages that do nothing by a run alone: they have tests of their own below."""
PROVIDERS = {"herb-market": ("herb-stock",), "ferry-man": ("coin-bank",)}
"""Packages of the pages that others run with."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that holds every package of the pages; nothing of the machine reaches the test."""
    for name in list(os.environ):
        if name.startswith("COVEL_") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COVEL_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for path, text in FILES.items():
        file = tmp_path / "plugins" / path if "/" in path else tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def covel(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Called]:
    def call(*arguments: str) -> Called:
        code = run(arguments)
        printed = capsys.readouterr()
        return Called(code, printed.out, printed.err)

    return call


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_mark_stands_above_a_block_of_code(page: Path) -> None:
    found = [sample for sample in EXAMPLES if sample.page == page]
    assert len(found) == page.read_text("utf-8").count("<!-- example:")


def test_no_example_is_written_twice() -> None:
    found = [sample.path for sample in EXAMPLES]
    assert sorted(found) == sorted(set(found))


def test_every_package_of_the_pages_is_run() -> None:
    run = [target.split("/")[0] for target in RUNS]
    along = [one for others in PROVIDERS.values() for one in others]
    assert sorted({*run, *CALLED, *along, *TESTED}) == PACKAGES


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_of_the_pages_has_no_problems(covel: Covel, home: Path, package: str) -> None:
    called = covel("validate-plugin", str(home / "plugins" / package), "--json")
    assert (called.code, called.json["diagnostics"]) == (0, [])


@pytest.mark.parametrize("target", RUNS)
def test_a_package_of_the_pages_runs_with_the_offline_model(covel: Covel, target: str) -> None:
    payload, tools = RUNS[target]
    others = PROVIDERS.get(target, ())
    trusted = [part for one in (target.split("/")[0], *others) for part in ("--trust", one)]
    along = [part for one in others for part in ("--with", one)]
    called = covel("run", target, "--payload", payload, *trusted, *along, "--json")
    assert called.code == 0, called.err
    assert called.json["committed"]
    assert [call["name"] for call in called.json["toolCalls"]] == tools
    assert {call["status"] for call in called.json["toolCalls"]} == {"completed"}


TESTED = sorted({path.split("/")[0] for path in FILES if "/tests/" in path})
"""Packages of the pages that carry tests of their own."""


def test_the_tests_of_the_packages_of_the_pages_pass(home: Path) -> None:
    """In one pytest for all; `covel test` runs the same for one."""
    options = ["-p", "no:cacheprovider", "--import-mode=importlib", "-W", "error"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *TESTED],
        cwd=home / "plugins",
        env={**os.environ, "COVEL_HOME": str(home / "none")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    for package in TESTED:
        assert f"{package}/tests/" in done.stdout


def test_the_dice_cup_remembers_in_the_same_session(covel: Covel) -> None:
    command = ("run", "dice-cup", "--payload", '{"sides": 6}', "--trust", "dice-cup", "--json")
    first = covel(*command).json
    second = covel(*command, "--session", first["sessionId"]).json
    rolled, again = (ran["toolCalls"][0]["result"] for ran in (first, second))
    assert rolled["before"] is None
    assert again["before"] == rolled["rolled"]
    shown = covel("sessions", "show", first["sessionId"])
    assert shown.code == 0
    assert first["turnId"] in shown.out
    assert f"Trace of {second['turnId']}" in shown.out


def test_the_coin_purse_keeps_its_coins_and_says_when_it_is_full(covel: Covel) -> None:
    trust = ("--trust", "coin-purse", "--json")
    first = covel("rpc", "new", "coin-purse", "add-coins", "--payload", '{"count": 3}', *trust)
    assert (first.json["result"], first.json["writes"]) == ({"coins": 3}, 2)
    purse = ("rpc", first.json["sessionId"], "coin-purse")
    full = covel(*purse, "add-coins", "--payload", '{"count": 98}', *trust)
    assert (full.code, full.json["error"]["code"], full.json["writes"]) == (1, "conflict", 0)
    assert covel(*purse, "count-coins", *trust).json["result"] == {"coins": 3}


def test_the_tide_choir_sings_in_the_mood_that_is_set(covel: Covel) -> None:
    session_id = covel("sessions", "new", "--with", "tide-choir", "--json").json["sessionId"]
    assert covel("plugins", "set", session_id, "tide-choir", "mood", "wild").code == 0
    refused = covel("plugins", "set", session_id, "tide-choir", "lines", "13", "--json")
    assert refused.json["error"]["code"] == "setting-value-invalid"
    shown = covel("plugins", "settings", session_id, "tide-choir").out.splitlines()
    assert [line.split() for line in shown[1:]] == [
        ["mood", "select", "wild", "player"],
        ["lines", "integer", "4", "default"],
    ]
    run = ("run", "tide-choir", "--session", session_id, "--json")
    assert covel(*run).json["committed"] is True
    taken = covel("sessions", "snapshots", session_id, "take", "--json").json["snapshot"]
    covel("sessions", "end", session_id, "--yes")
    assert covel(*run).json["error"]["code"] == "session-not-active"
    forked = covel("sessions", "fork", session_id, "--from", taken["snapshotId"], "--json").json
    assert forked["session"]["status"] == "active"
    exported = covel("sessions", "export", forked["session"]["sessionId"]).json
    assert exported["session"]["pluginSettings"] == {"tide-choir": {"mood": "wild"}}
    assert covel("sessions", "delete", session_id, "--yes").code == 0


def test_the_tide_hints_stand_in_the_prompt_of_another_package(covel: Covel) -> None:
    trust = ("--trust", "tide-hints", "--trust", "dice-cup")
    called = covel(
        "run", "dice-cup", "--payload", '{"sides": 6}', "--with", "tide-hints", *trust, "--json"
    )
    assert called.json["committed"], called.err


def test_the_page_of_sessions_names_every_member_of_record_and_export(covel: Covel) -> None:
    session_id = covel("sessions", "new", "--with", "tide-choir", "--json").json["sessionId"]
    exported = covel("sessions", "export", session_id).json
    page = (ROOT / "docs" / "sessions.md").read_text("utf-8")
    for member in (*exported, *exported["session"]):
        assert f"`{member}`" in page, member


def test_the_dice_bag_rolls_and_points_at_a_wrong_word(covel: Covel) -> None:
    trust = ("--trust", "dice-bag")
    payload = '{"sides": 6}'
    made = covel("rpc", "new", "dice-bag", "roll-dice", "--payload", payload, *trust, "--json")
    session_id = made.json["sessionId"]
    rolled = covel("rpc", session_id, '/r 6 2 "the old door"', *trust)
    assert rolled.out.endswith("in all for the old door.\n")
    wrong = covel("rpc", session_id, "/roll six 2", *trust)
    (shown,) = [block for block in blocks(ROOT / "docs" / "commands.md", "text") if "^^^" in block]
    assert wrong.err.endswith(shown)


def test_the_tavern_takes_an_answer_once_and_greets_by_it(covel: Covel) -> None:
    trust = ("--trust", "tavern-guest")
    asked = covel("run", "tavern-guest", *trust, "--json").json
    answer = ("answer", asked["sessionId"], "guest-sheet", *trust, "--values")
    refused = covel(*answer, '{"name": "Wren", "wit": 9}', "--json")
    assert refused.json["error"]["details"]["issues"] == [
        {"field": "strength", "message": "Spend at most 10 points."}
    ]
    assert covel(*answer, '{"name": "Wren", "wit": 4}').out == (
        "Wren enters, 5 strong and 4 clever.\n"
    )
    again = covel("run", "tavern-guest", *trust, "--session", asked["sessionId"], "--json")
    assert again.json["output"] == {"welcome": "Wren"}


def test_the_guard_of_the_dice_tower_saves_a_run(covel: Covel) -> None:
    payload = '{"dice": 0, "sides": 6}'
    called = covel("run", "dice-tower", "--payload", payload, "--trust", "dice-tower", "--json")
    assert called.code == 0, called.err
    assert called.json["committed"]
    assert called.json["toolCalls"] == []


def test_the_scripted_replies_parse_and_the_first_two_play(covel: Covel, home: Path) -> None:
    script = home / "replies.yaml"
    replies = read_script(script)
    assert [len(reply.calls) for reply in replies] == [1, 0, 1, 0]
    assert replies[2].calls[0].arguments == '{"value": "hello"}]}'
    called = covel(
        "run", "my-echo", "--trust", "my-echo", "--model", f"scripted:{script}", "--json"
    )
    assert called.code == 0, called.err
    assert called.json["text"] == "Only text."
    assert [call["name"] for call in called.json["toolCalls"]] == ["echo-value"]


def test_the_tide_diary_finds_what_an_earlier_run_wrote(covel: Covel, home: Path) -> None:
    command = ("run", "tide-diary", "--trust", "tide-diary", "--json")
    payload = RUNS["tide-diary"][0]
    session_id = covel(*command, "--payload", payload).json["sessionId"]
    model = ("--model", f"scripted:{home / 'tide-replies.yaml'}")
    found = covel(*command, "--session", session_id, *model)
    assert found.code == 0, found.err
    results = found.json["toolCalls"][0]["result"]["results"]
    lines = [
        f"{number}. [{hit['source']}] {hit['key']}: {hit['text']}\n"
        for number, hit in enumerate(results, 1)
    ]
    assert "".join(lines) == (home / "tide-found.txt").read_text("utf-8")


def test_the_tide_ledger_counts_apart(covel: Covel) -> None:
    made = covel("sessions", "new", "--with", "tide-ledger", "--json")
    session_id = made.json["sessionId"]
    trust = ("--trust", "tide-ledger")
    played = covel("turn", session_id, "I wait.", *trust, "--model", "offline")
    assert played.code == 0, played.err
    (job,) = covel("jobs", "list", session_id, "--json").json["items"]
    assert (job["runtimeId"], job["state"]) == ("tide-ledger", "succeeded")
    none = covel("jobs", "run", session_id, *trust, "--json")
    assert (none.code, none.json["items"]) == (0, [])


def test_the_gate_keeper_waits_for_the_door(covel: Covel) -> None:
    command = ("run", "gate-keeper", "--trust", "gate-keeper", "--json")
    session_id = covel(*command).json["sessionId"]
    (item,) = covel("suspensions", "list", session_id, "--json").json["items"]
    resume = ("suspensions", "resume", session_id, item["id"], "--trust", "gate-keeper", "--json")
    resumed = covel(*resume, "--data", '{"door": "left"}')
    assert resumed.code == 0, resumed.err
    assert resumed.json["executions"][0]["results"][0]["output"] == {"opened": "left"}


@pytest.mark.parametrize("page", ["README.md", "docs/models.md"])
def test_the_model_slots_of_a_page_are_understood(covel: Covel, home: Path, page: str) -> None:
    examples = blocks(ROOT / page, "toml")
    for slots in examples:
        (home / "llm.toml").write_text(slots, encoding="utf-8")
        called = covel("models", "--json")
        assert called.code == 0, called.err
        for slot in tomllib.loads(slots)["covel"].values():
            assert slot["model"] in called.out
    assert "gpt-5-mini" in examples[0]


def test_the_settings_of_the_page_trust_the_dice_cup(covel: Covel, home: Path) -> None:
    (settings,) = blocks(ROOT / "docs" / "settings.md", "toml")
    (home / "settings.toml").write_text(settings, encoding="utf-8")
    called = covel("run", "dice-cup", "--payload", '{"sides": 6}', "--json")
    assert called.code == 0, called.err


def written_commands() -> list[str]:
    """Every line `covel …` of the pages: in what to type, and after a prompt."""
    prompts = {"sh": "", "console": "$ "}
    lines = (
        line.removeprefix(prompts[sample.language])
        for sample in SAMPLES
        if sample.language in prompts
        for line in sample.text.splitlines()
        if line.startswith(prompts[sample.language])
    )
    return sorted({line for line in lines if line.startswith("covel ")})


@pytest.mark.parametrize("line", written_commands())
def test_a_command_of_the_pages_exists_with_its_options(line: str) -> None:
    arguments = shlex.split(line, comments=True)[1:]
    command: click.Command = program
    while isinstance(command, click.Group):
        name = arguments.pop(0)
        found = command.get_command(click.Context(command), name)
        assert found is not None, f"there is no command {name!r}"
        command = found
    # Only the options are looked at: the paths and sessions of the pages are the reader's.
    # A command keeps the help option of its first context.
    context = click.Context(command, help_option_names=["-h", "--help"])
    command.make_parser(context).parse_args(arguments)
