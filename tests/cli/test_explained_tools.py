"""`--explain`: why each run had its tools and no others, and why calls were not carried out."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import Covel, call, write_package, write_script

SHOP = """---
description: Sells things.
contributes:
  tools: [sell, count, hide]
  datasets:
    wares: { schema: ./ware.json, ops: [set, delete] }
runtime:
  schedule: { trigger: { type: manual } }
  agent:
    tools:
      plugin: [sell, hide]
      defer: [hide]
      datasets: [{ dataset: wares, tools: [list] }]
      services: [guild.prices@1]
      builtin: [render-ui]
---
Sell.
"""
CODE = """
from plugin_sdk import hookimpl, tool


@tool
def sell() -> object:
    "Sell."
    return {}


@tool
def count() -> object:
    "Count."
    return {}


@tool
def hide() -> object:
    "Hide."
    return {}


@hookimpl
def register_tools():
    return [sell, count, hide]
"""
COUNTER = """---
description: Counts things.
contributes:
  tools: [tally, other]
runtime:
  type: function
  schedule: { trigger: { type: manual } }
  function:
    handler: ./work.py
    tools: { plugin: [tally] }
---
"""
COUNTING = """
from plugin_sdk import hookimpl, tool


@tool
def tally() -> object:
    "Tally."
    return {}


@tool
def other() -> object:
    "Other."
    return {}


@hookimpl
def register_tools():
    return [tally, other]
"""


@pytest.fixture
def shop(plugins: Path) -> Path:
    package = write_package(plugins, "shop", SHOP, CODE)
    (package / "ware.json").write_text('{"type": "object"}', encoding="utf-8")
    return package


def standings(document: Any) -> dict[str, tuple[str, str]]:
    (run,) = document["explained"]["runs"]
    return {tool["name"]: (tool["standing"], tool["reason"]) for tool in run["tools"]}


def test_every_tool_that_could_be_named_has_its_reason(
    covel: Covel, shop: Path, tmp_path: Path
) -> None:
    script = write_script(tmp_path / "script.json", {"text": "Sold."})
    run = ("run", "shop", "--trust", "shop", "--model", script, "--explain")
    told = standings(covel(*run, "--json").json)
    assert told["sell"] == ("offered", "agent.tools.plugin names it")
    assert told["wares-list"] == ("offered", "agent.tools.datasets names it")
    assert told["render-ui"] == ("offered", "agent.tools.builtin names it")
    assert told["runtime-done"] == ("offered", "it is how the run may end")
    assert told["search-tools"][0] == "offered"
    assert told["hide"][0] == "deferred"
    assert told["guild-prices"][0] == "absent"
    assert "guild.prices@1" in told["guild-prices"][1]
    assert told["count"] == (
        "not listed",
        "contributes.tools has it, and agent.tools.plugin does not name it",
    )
    assert told["wares-upsert"][0] == "not listed"
    assert "'wares'" in told["wares-upsert"][1]
    assert told["suspend"] == ("not listed", "agent.tools.builtin does not name it")
    err = covel(*run).err
    assert "Tools of shop:" in err
    assert "not listed in tools.builtin: create-choices, " in err


def test_calls_that_never_came_to_a_tool_are_told_with_the_reason(
    covel: Covel, shop: Path, tmp_path: Path
) -> None:
    script = write_script(
        tmp_path / "script.json", call("count", {}), call("sel", {}), {"text": "Sold."}
    )
    run = ("run", "shop", "--trust", "shop", "--model", script, "--explain")
    refused = covel(*run, "--json").json["explained"]["refusedCalls"]
    assert [(one["runtimeId"], one["name"]) for one in refused] == [
        ("shop", "count"),
        ("shop", "sel"),
    ]
    assert 'The nearest tool is "sell"' in refused[1]["reason"]
    assert "Calls that were not carried out:\n  count in shop: " in covel(*run).err


def test_a_rule_of_the_host_is_told(
    covel: Covel, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COVEL_TOOL_RULES", "deny sell")
    script = write_script(tmp_path / "script.json", call("sell", {}), {"text": "Sold."})
    run = ("run", "shop", "--trust", "shop", "--model", script, "--explain", "--json")
    document = covel(*run).json
    assert "a rule of this host denies its calls" in standings(document)["sell"][1]
    assert document["explained"]["refusedCalls"][0]["name"] == "sell"


def test_a_function_names_what_its_code_may_call(covel: Covel, plugins: Path) -> None:
    package = write_package(plugins, "counter", COUNTER, COUNTING)
    (package / "work.py").write_text("def handle(ctx):\n    return None\n", encoding="utf-8")
    told = standings(covel("run", "counter", "--trust", "counter", "--explain", "--json").json)
    assert told["tally"] == ("callable", "function.tools.plugin names it")
    assert told["other"][0] == "not listed"


def test_a_turn_explains_each_of_its_runs(covel: Covel, plugins: Path, tmp_path: Path) -> None:
    for name in ("first", "second"):
        write_package(
            plugins,
            name,
            "---\ndescription: Looks.\nruntime:\n  schedule: { stage: post-turn }\n"
            "  agent: {}\n---\nLook.\n",
        )
    session_id = covel("sessions", "new", "--with", "first", "--with", "second", "--json").json[
        "sessionId"
    ]
    script = write_script(tmp_path / "script.json", {"text": "Yes."}, {"text": "No."})
    called = covel("turn", session_id, "Hi.", "--model", script, "--explain", "--json")
    runs = json.loads(called.out)["explained"]["runs"]
    assert sorted(run["runtimeId"] for run in runs) == ["first", "second"]


def test_without_the_option_nothing_is_explained(covel: Covel, shop: Path, tmp_path: Path) -> None:
    script = write_script(tmp_path / "script.json", {"text": "Sold."})
    assert (
        "explained" not in covel("run", "shop", "--trust", "shop", "--model", script, "--json").json
    )
