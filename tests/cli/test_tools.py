"""`covel tools`: what packages register, as a model would see it."""

import re
from pathlib import Path

import pytest

from plugin_sdk.names import FRAMEWORK_TOOL_NAMES
from tests.cli.support import Covel, copy_echo, with_entry

RICH = '''
from plugin_sdk import hookimpl, tool

@tool(name="echo-value", read_only=True, concurrency_safe=True, timeout_ms=250)
async def echo_value(value: str, times: int = 1) -> object:
    """Repeat a value."""
    return value * times

@hookimpl
def register_tools():
    return [echo_value]
'''


def test_builtin_tools_are_always_listed(covel: Covel) -> None:
    listed = covel("tools")
    assert listed.code == 0
    assert "runtime-done" in listed.out


def test_every_framework_tool_is_listed(covel: Covel) -> None:
    listed = covel("tools", "--json").json
    sources = {tool["name"]: tool["source"] for tool in listed["tools"]}
    assert {*sources} == {*FRAMEWORK_TOOL_NAMES}
    assert (sources["create-form"], sources["search-tools"]) == ("builtin", "injected")


def test_the_tools_of_packages_come_before_those_of_the_framework(
    covel: Covel, plugins: Path
) -> None:
    copy_echo(plugins)
    covel("new", "plugin", "moss-ledger", "--template", "dataset")
    listed = covel("tools", "--trust", "echo-demo", "--json").json["tools"]
    sources = [tool["source"] for tool in listed]
    wanted = ["local", "dataset", "builtin", "injected"]
    assert list(dict.fromkeys(sources)) == wanted
    assert sources == sorted(sources, key=wanted.index)
    first = covel("tools", "echo-demo", "--trust", "echo-demo").out.splitlines()[1]
    assert first.split()[:3] == ["echo-value", "local", "echo-demo"]


def test_the_columns_are_those_of_the_overview(covel: Covel) -> None:
    heading = covel("tools").out.splitlines()[0]
    assert heading.split() == [
        "TOOL",
        "SOURCE",
        "PACKAGE",
        "APPROVAL",
        "ANNOTATIONS",
        "DESCRIPTION",
    ]


def test_a_rule_of_the_host_shows_as_the_approval_of_its_tool(
    covel: Covel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COVEL_TOOL_RULES", "deny create-form")
    tools = {tool["name"]: tool["approval"] for tool in covel("tools", "--json").json["tools"]}
    assert (tools["create-form"], tools["create-choices"]) == ("deny", "auto-allow")


def test_tools_have_annotations_limit_and_schema(covel: Covel, plugins: Path) -> None:
    with_entry(plugins, "echo-demo", RICH)
    listed = covel("tools", "echo-demo", "--trust", "echo-demo", "--json")
    assert listed.code == 0
    (tool,) = [found for found in listed.json["tools"] if found["source"] == "local"]
    assert tool["pluginId"] == "echo-demo"
    assert tool["timeoutMs"] == 250
    assert tool["annotations"] == {
        "readOnly": True,
        "stagesWrites": False,
        "idempotent": False,
        "concurrencySafe": True,
    }
    assert tool["inputSchema"]["required"] == ["value"]
    text = covel("tools", "echo-demo", "--trust", "echo-demo").out
    (row,) = [line for line in text.splitlines() if line.startswith("echo-value")]
    assert [cell.strip() for cell in row.split("  ") if cell.strip()] == [
        "echo-value",
        "local",
        "echo-demo",
        "auto-allow",
        "read-only, concurrency-safe, 250 ms",
        "Repeat a value.",
    ]


def test_a_package_may_be_named_by_its_path(covel: Covel, tmp_path: Path) -> None:
    package = copy_echo(tmp_path, "draft")
    listed = covel("tools", package, "--trust", "draft")
    assert listed.code == 0
    assert re.search(r"^echo-value +local +draft ", listed.out, flags=re.MULTILINE)


def test_untrusted_packages_are_noted_and_no_failure(covel: Covel, plugins: Path) -> None:
    copy_echo(plugins)
    listed = covel("tools")
    assert listed.code == 0
    assert "--trust echo-demo" in listed.err
    assert "echo-value" not in listed.out


def test_a_named_package_that_does_not_load_is_a_finding(covel: Covel, plugins: Path) -> None:
    with_entry(plugins, "faulty", "raise ValueError('no moon')\n")
    listed = covel("tools", "faulty", "--trust", "faulty")
    assert listed.code == 1
    assert "no moon" in listed.err
    assert "faulty/server/index.py:1" in listed.err
    as_json = covel("tools", "faulty", "--trust", "faulty", "--json")
    assert as_json.code == 1
    assert as_json.json["notLoaded"][0]["status"] == "error"


def test_one_bad_package_stops_no_other(covel: Covel, plugins: Path) -> None:
    copy_echo(plugins)
    with_entry(plugins, "faulty", "raise ValueError('no moon')\n")
    listed = covel("tools", "--trust", "faulty", "--trust", "echo-demo")
    assert listed.code == 0
    assert "echo-value" in listed.out
    assert "'faulty' was not loaded" in listed.err


def test_an_unknown_package_is_refused(covel: Covel, plugins: Path) -> None:
    copy_echo(plugins)
    refused = covel("tools", "echo-dem")
    assert refused.code == 1
    assert "Did you mean 'echo-demo'?" in refused.err


def test_the_tools_of_a_data_set_are_listed_with_their_package(covel: Covel) -> None:
    covel("new", "plugin", "moss-ledger", "--template", "dataset")
    listed = covel("tools", "moss-ledger", "--json")
    assert listed.code == 0, listed
    tools = {tool["name"]: tool for tool in listed.json["tools"] if tool["source"] == "dataset"}
    assert list(tools) == ["people-get", "people-list", "people-upsert", "people-update"]
    assert {tool["pluginId"] for tool in tools.values()} == {"moss-ledger"}
    assert tools["people-upsert"]["inputSchema"]["required"] == ["record"]
    (row,) = [
        line
        for line in covel("tools", "moss-ledger").out.splitlines()
        if line.startswith("people-get")
    ]
    assert row.split()[0] == "people-get"
    assert "read-only, idempotent, concurrency-safe" in row
