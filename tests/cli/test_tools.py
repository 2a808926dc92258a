"""`covel tools`: what packages register, as a model would see it."""

from pathlib import Path

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
    assert "echo-value  read-only, concurrency-safe, 250 ms  Repeat a value." in text


def test_a_package_may_be_named_by_its_path(covel: Covel, tmp_path: Path) -> None:
    package = copy_echo(tmp_path, "draft")
    listed = covel("tools", package, "--trust", "draft")
    assert listed.code == 0
    assert "draft\n  echo-value" in listed.out


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
