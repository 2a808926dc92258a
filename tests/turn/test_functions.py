"""Function runtimes and guards in an execution: what they return is committed as any run's."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.hosts import play
from tests.support.replies import say

HOSTILE = """
import asyncio
from plugin_sdk import Effects, ToolError
from plugin_sdk.proposals import Proposal
class Bare(ToolError):
    def __init__(self):
        self.code = "conflict"
class Exits(dict):
    def items(self):
        raise SystemExit(4)
class Cancels(dict):
    def items(self):
        raise asyncio.CancelledError
class Breaks(list):
    def __iter__(self):
        raise RuntimeError("no items")
class Lies(Proposal):
    type = "plugin.data"
    def payload(self):
        raise RuntimeError("no payload")
"""
IMPORTS = "from plugin_sdk.outcomes import failed, skip, skipped, success\n"


def package(
    home: Path, *, function: str | None = None, guard: str | None = None, **runtime: Any
) -> None:
    """A package `demo` of one manual runtime with that code."""
    folder = home / "plugins" / "demo"
    (folder / "server").mkdir(parents=True)
    runtime["schedule"] = {"trigger": {"type": "manual"}}
    if function is not None:
        runtime["function"] = {"handler": "./server/handler.py"}
        (folder / "server" / "handler.py").write_text(IMPORTS + function)
    if guard is not None:
        runtime["guard"] = "./server/guard.py"
        (folder / "server" / "guard.py").write_text(IMPORTS + guard)
    manifest = {
        "description": "A package of a test.",
        "contributes": {"data": {"notes": {"schema": "./any.json", "version": 1}}},
        "runtime": runtime,
    }
    (folder / "any.json").write_text("{}")
    (folder / "PLUGIN.md").write_text(f"---\n{yaml.safe_dump(manifest)}---\nDo it.\n")


def test_what_a_handler_stages_is_committed_with_its_value(tmp_path: Path) -> None:
    package(
        tmp_path,
        function="""
async def handle(ctx):
    await ctx.plugin_data.set("notes", "a", {"n": 1})
    read = await ctx.plugin_data.get("notes", "a")
    return success(value=[read, ctx.manual_payload])
""",
    )
    played = play(tmp_path, "demo", payload={"x": 1})
    assert played.report.failure is None, played.report.failure
    assert played.rows.data == {("notes", "a"): {"n": 1}}
    assert played.kept_result["output"] == {"value": [{"n": 1}, {"x": 1}]}
    assert (played.kept_result["hasValue"], played.kept_result["isProjected"]) == (True, True)


def test_what_a_run_read_is_kept_with_its_result(tmp_path: Path) -> None:
    package(
        tmp_path,
        function="""
async def handle(ctx):
    await ctx.plugin_data.get("notes", "gone")
    return success(value={})
""",
    )
    played = play(tmp_path, "demo")
    assert played.kept_result["reads"] == [
        {"kind": "data", "pluginId": "demo", "namespace": "notes", "key": "gone", "version": None}
    ]
    assert played.kept_result["isProjected"] is False


def test_a_handler_that_reports_failure_commits_nothing(tmp_path: Path) -> None:
    package(
        tmp_path,
        function="""
async def handle(ctx):
    await ctx.plugin_data.set("notes", "a", 1)
    return failed("out of ink")
""",
    )
    played = play(tmp_path, "demo")
    assert (played.report.committed, played.rows.data) == (False, {})


def test_a_skipped_run_commits_what_it_staged(tmp_path: Path) -> None:
    package(
        tmp_path,
        function="""
async def handle(ctx):
    await ctx.plugin_data.set("notes", "a", 1)
    return skipped("nothing to tell")
""",
    )
    played = play(tmp_path, "demo")
    assert (played.report.committed, played.rows.data) == (True, {("notes", "a"): 1})
    assert played.kept_result["status"] == "skipped"
    assert played.kept_result["reason"] == "nothing to tell"
    assert "runtime.skipped" in played.observer.types
    assert "runtime.completed" not in played.observer.types


def test_a_guard_skips_a_story_and_the_execution_goes_on(tmp_path: Path) -> None:
    package(
        tmp_path,
        guard="def guard(ctx):\n    return skip(seen=1)\n",
        io={"visibility": "story"},
    )
    played = play(tmp_path, "demo")
    assert (played.report.committed, played.requests) == (True, [])
    assert played.kept_result["output"] == {"seen": 1}
    assert played.rows.messages == []


def test_a_guard_that_does_not_skip_lets_the_story_be_told(tmp_path: Path) -> None:
    package(
        tmp_path,
        guard="def guard(ctx):\n    return None\n",
        io={"visibility": "story"},
    )
    played = play(tmp_path, "demo", say("Rain."))
    assert [message.content for message in played.rows.messages] == ["Rain."]


def test_a_story_function_that_tells_nothing_rolls_the_execution_back(tmp_path: Path) -> None:
    package(
        tmp_path,
        function="""
async def handle(ctx):
    await ctx.plugin_data.set("notes", "a", 1)
    return success(value={"text": "Rain."})
""",
        io={"visibility": "story"},
    )
    played = play(tmp_path, "demo")
    assert played.report.failure is not None
    assert (played.report.failure.code, played.rows.data) == ("story_without_prose", {})


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("raise ToolError('conflict', {'a': 1}, hint=5)", "conflict"),
        ("raise Bare()", "conflict"),
        ("return failed(error='x' * 100_000)", "runtime-reported-failure"),
        ("raise ToolError('conflict', 'x' * 100_000, hint='y' * 100_000)", "conflict"),
        ("return 10**5000", "outcome-invalid"),
        ("raise KeyboardInterrupt", "internal"),
        ("return Exits(a=1)", "internal"),
        ("return Cancels(a=1)", "internal"),
        ("return success(effects=Effects(events=Breaks([1])))", "internal"),
        ("return success(effects=Effects(proposals=[Lies()]))", "internal"),
        ("await ctx.tools.call('any', Exits(a=1))", "internal"),
        ("await ctx.tools.call(chr(0xD800), {})", "unavailable"),
        ("await ctx.tools.call(object(), {})", "unavailable"),
        ("await ctx.tools.call('x' * 100_000, {})", "unavailable"),
        ("await ctx.plugin_data.get('notes', chr(0xD800))", "invalid-input"),
        ("await ctx.plugin_data.list(None)", "invalid-input"),
        ("await ctx.plugin_data.update('notes', 'a', None)", "invalid-input"),
    ],
)
def test_whatever_a_handler_ends_with_is_kept_in_a_short_failed_turn(
    tmp_path: Path, body: str, code: str
) -> None:
    package(tmp_path, function=HOSTILE + f"async def handle(ctx):\n    {body}\n")
    played = play(tmp_path, "demo")
    assert played.report.failure is not None
    assert played.report.failure.code == code
    assert " at 0x" not in played.report.failure.message
    assert played.rows.turn is not None
    assert played.rows.turn.commit_status == "failed"
    assert len(repr((played.rows, played.observer.events))) < 40_000


@pytest.mark.parametrize("depth", [199, 200])
def test_the_deepest_value_is_committed_and_read_back(tmp_path: Path, depth: int) -> None:
    package(
        tmp_path,
        function=f"""
async def handle(ctx):
    value = 1
    for _ in range({depth}):
        value = [value]
    return value
""",
    )
    played = play(tmp_path, "demo")
    assert played.report.committed, played.report.failure
    assert repr(played.kept_result["output"]["value"]).count("[") == depth


def test_what_a_run_tells_is_kept_within_its_limits(tmp_path: Path) -> None:
    package(
        tmp_path,
        function="""
from plugin_sdk import Effects
async def handle(ctx):
    return skipped("x" * 100_000, effects=Effects(diagnostics=["y" * 100_000] * 101))
""",
    )
    result = play(tmp_path, "demo").report.result
    assert len(result.reason or "") == 2_000
    assert [len(warning) for warning in result.warnings[:100]] == [2_000] * 100
    assert result.warnings[100:] == ("1 more of 'effects.diagnostics' not shown",)


def test_what_a_guard_says_is_kept_within_its_limit(tmp_path: Path) -> None:
    package(
        tmp_path,
        function="async def handle(ctx):\n    return 1\n",
        guard="async def guard(ctx):\n    return skip(reason='x' * 100_000)\n",
    )
    assert len(play(tmp_path, "demo").report.result.reason or "") == 2_000


@pytest.mark.parametrize("answer", ["skip(a=Exits(a=1))", "skip(a=Cancels(a=1))"])
def test_what_a_guard_answers_cannot_end_the_host(tmp_path: Path, answer: str) -> None:
    guard = HOSTILE + f"async def guard(ctx):\n    return {answer}\n"
    package(tmp_path, function="async def handle(ctx):\n    return 1\n", guard=guard)
    played = play(tmp_path, "demo")
    assert played.report.failure is not None
    assert played.report.failure.code == "internal"
    assert played.report.failure.message.startswith("The guard of 'demo' failed: ")
    assert played.rows.turn is not None
