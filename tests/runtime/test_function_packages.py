"""Function runtimes of packages through the whole host: loaded, run, committed."""

import asyncio
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml

from covel_host.turn.admission import ManualRequest
from tests.support.hosts import Played, opened, play, played_on
from tests.support.replies import call, calls, done, say

MANUAL = {"trigger": {"type": "manual"}}


def write(
    home: Path,
    plugin_id: str,
    *,
    runtimes: dict[str, Any],
    files: dict[str, str],
    **root: Any,
) -> None:
    """A package with its runtimes in `runtimes/`; `files` by their paths."""
    folder = home / "plugins" / plugin_id
    manifest = {"description": "A package of a test.", **root}
    texts = {"PLUGIN.md": f"---\n{yaml.safe_dump(manifest)}---\n"}
    for name, runtime in runtimes.items():
        text = yaml.safe_dump({"description": name, "schedule": MANUAL, **runtime})
        texts[f"runtimes/{name}/RUNTIME.md"] = f"---\n{text}---\nDo it.\n"
    for name, content in {**texts, **{name: dedent(text) for name, text in files.items()}}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")


def function(name: str = "handler", **more: Any) -> dict[str, Any]:
    return {"function": {"handler": f"../../server/{name}.py", **more}}


HANDLER = """
    from plugin_sdk import Effects, Event, PluginData, failed, skipped, success
    from .rolling import roll

    async def handle(ctx):
        payload = ctx.manual_payload or {}
        await ctx.plugin_data.set("notes", "asked", payload)
        if payload.get("skip"):
            return skipped("Nothing to do.")
        if payload.get("fail"):
            return failed("No dice.")
        value = await ctx.tools.call("save", {"n": roll(ctx, payload)})
        return success(value, effects=Effects(events=[Event("dice.rolled", value)]))
"""
ROLLING = """
    def roll(ctx, payload):
        return payload["sides"] if payload.get("loaded") else ctx.random.randint(1, 6)
"""
ENTRY = """
    from plugin_sdk import PluginData, hookimpl, tool, with_pending_proposals

    @tool(name="save")
    async def save(n: int) -> object:
        "Save."
        record = PluginData(namespace="notes", key="n", value=n)
        return with_pending_proposals({"n": n}, [record])

    @hookimpl
    def register_tools():
        return [save]
"""


def dice(home: Path, **runtime: Any) -> None:
    write(
        home,
        "dice",
        runtimes={"roll": {**function(tools={"plugin": ["save"]}), **runtime}},
        files={
            "server/handler.py": HANDLER,
            "server/rolling.py": ROLLING,
            "server/index.py": ENTRY,
            "schemas/out.json": '{"type": "object", "required": ["n"]}',
            "schemas/six.json": '{"properties": {"n": {"maximum": 6}}}',
        },
        contributes={"tools": ["save"]},
        provides=["dice.roll@1"],
        contracts={"dice.roll@1": {"schema": "./schemas/six.json"}},
    )


def roll(home: Path, payload: Any = None, **more: Any) -> Played:
    return play(home, "dice/roll", payload=payload, **more)


def test_a_run_is_committed_with_its_calls_and_effects(tmp_path: Path) -> None:
    dice(tmp_path)
    played = roll(tmp_path, {"sides": 20, "loaded": True})
    assert played.report.committed
    assert played.report.result.output == {"n": 20}
    assert played.rows.data == {
        ("notes", "asked"): {"sides": 20, "loaded": True},
        ("notes", "n"): 20,
    }
    assert [row.tool_name for row in played.rows.tool_calls] == ["save"]
    assert "event.emitted" in played.observer.types
    assert played.kept_result["status"] == "success"


def test_a_skipped_run_commits_what_it_staged(tmp_path: Path) -> None:
    dice(tmp_path)
    played = roll(tmp_path, {"skip": True})
    assert (played.report.committed, played.report.result.status) == (True, "skipped")
    assert played.rows.data == {("notes", "asked"): {"skip": True}}
    assert "runtime.skipped" in played.observer.types


def test_a_failed_run_commits_nothing(tmp_path: Path) -> None:
    dice(tmp_path)
    played = roll(tmp_path, {"fail": True})
    assert not played.report.committed
    assert played.report.failure is not None
    assert played.report.failure.message == "No dice."
    assert played.rows.data == {}


def test_chance_replays_with_the_seed(tmp_path: Path) -> None:
    outputs = []
    for name in ("one", "two"):
        dice(tmp_path / name)
        played = roll(tmp_path / name, environ={"COVEL_RANDOM_SEED": "7"})
        outputs.append(played.report.result.output)
    assert outputs[0] == outputs[1]


def test_an_output_is_checked_against_its_published_contract(tmp_path: Path) -> None:
    dice(tmp_path, io={"output": {"contract": "dice.roll@1"}})
    assert roll(tmp_path, {"sides": 6, "loaded": True}).report.committed
    played = roll(tmp_path, {"sides": 20, "loaded": True})
    assert played.report.failure is not None
    assert played.report.failure.code == "output-schema-invalid"
    assert "the contract 'dice.roll@1'" in played.report.failure.message


def test_an_error_names_the_line_of_the_package(tmp_path: Path) -> None:
    write(
        tmp_path,
        "broken",
        runtimes={"go": function()},
        files={"server/handler.py": "def handle(ctx):\n    return 1 / 0\n"},
    )
    failure = play(tmp_path, "broken/go").report.failure
    assert failure is not None
    assert (
        failure.message == "The handler of 'broken/go' failed: ZeroDivisionError: division by zero"
    )
    assert failure.hint == "Raised at server/handler.py:2."


def test_an_export_is_the_input_of_a_later_run(tmp_path: Path) -> None:
    seen = """
        async def handle(ctx):
            return {"seen": ctx.exports.get("last"), "turn": ctx.inputs}
    """
    inputs = {
        "last": {"from": {"runtime": "dice/roll"}, "scope": "committed", "recordAs": "last-roll"},
        "now": {"from": {"runtime": "dice/roll"}},
    }
    record = {"output": {"schema": "../../schemas/out.json", "recordAs": "last-roll"}}
    write(
        tmp_path,
        "dice",
        runtimes={
            "roll": {**function(tools={"plugin": ["save"]}), "io": record},
            "see": {**function("see"), "io": {"inputs": inputs}},
        },
        files={
            "server/handler.py": HANDLER,
            "server/rolling.py": ROLLING,
            "server/see.py": seen,
            "server/index.py": ENTRY,
            "schemas/out.json": '{"type": "object", "required": ["n"]}',
        },
        contributes={"tools": ["save"]},
    )

    async def main() -> list[Any]:
        async with opened(tmp_path) as host:
            before = await host.run(ManualRequest(target="dice/see"))
            session_id = before.session_id
            asked = ManualRequest(
                target="dice/roll", payload={"sides": 4, "loaded": True}, session_id=session_id
            )
            await host.run(asked)
            after = await host.run(ManualRequest(target="dice/see", session_id=session_id))
            return [before.result.output, after.result.output]

    assert asyncio.run(main()) == [
        {"seen": None, "turn": {}},
        {
            "seen": {"cardinality": "one", "value": {"n": 4}, "source": "dice/roll"},
            "turn": {},
        },
    ]


def test_a_guard_decides_before_the_agent_of_its_package(tmp_path: Path) -> None:
    guard = """
        from plugin_sdk import skip

        async def guard(ctx):
            if await ctx.plugin_data.get("notes", "done"):
                return skip(reason="Already done.")
            await ctx.plugin_data.set("notes", "done", True)
            return None
    """
    write(
        tmp_path,
        "setup",
        runtimes={"go": {"agent": {}, "guard": "../../server/guard.py"}},
        files={"server/guard.py": guard},
    )

    async def main() -> list[Any]:
        async with opened(tmp_path, say("Done.")) as host:
            first = await played_on(host, ManualRequest(target="setup/go"))
            request = ManualRequest(target="setup/go", session_id=first.report.session_id)
            again = await played_on(host, request)
            return [first, again]

    first, again = asyncio.run(main())
    assert (first.report.result.status, first.report.committed) == ("success", True)
    assert (again.report.result.status, again.report.committed) == ("skipped", True)
    assert again.report.result.reason == "Already done."


def test_texts_are_read_from_the_packages_label_files(tmp_path: Path) -> None:
    handler = """
        from plugin_sdk.rules import label_text, translate

        async def handle(ctx):
            return [translate(ctx, "Hello"), label_text(ctx, "Hello"), dict(ctx.messages)]
    """
    write(
        tmp_path,
        "polite",
        runtimes={"go": function()},
        files={
            "server/handler.py": handler,
            "locales/zh.yaml": "messages: {Hello: 你好, 'label|Done': 完成, Bad: 3}\n",
            "locales/de.yaml": "messages: {Hello: Hallo}\n",
        },
    )
    played = play(tmp_path, "polite/go", environ={"COVEL_LOCALE": "zh-CN"})
    assert played.report.result.value == [
        "你好",
        {"en": "Hello", "de": "Hallo", "zh": "你好"},
        {"Hello": "你好"},
    ]


def test_a_tool_reads_the_texts_and_inputs_of_its_run(tmp_path: Path) -> None:
    entry = """
        from plugin_sdk import hookimpl, tool
        from plugin_sdk.context import ToolContext
        from plugin_sdk.rules import translate

        @tool(name="greet", read_only=True)
        async def greet(ctx: ToolContext) -> object:
            "Greet."
            return [translate(ctx, "Hello"), list(ctx.world.characters), ctx.inputs]

        @hookimpl
        def register_tools():
            return [greet]
    """
    write(
        tmp_path,
        "polite",
        runtimes={"go": {"agent": {"tools": {"plugin": ["greet"]}}}},
        files={"server/index.py": entry, "locales/zh.yaml": "messages: {Hello: 你好}\n"},
        contributes={"tools": ["greet"]},
    )
    played = play(
        tmp_path, "polite/go", calls(call("greet")), done(), environ={"COVEL_LOCALE": "zh"}
    )
    assert played.report.result.tool_calls[0].content == ["你好", [], {}]


def test_what_a_left_handler_may_use_stays_open_until_it_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A thread cannot be stopped: its run fails at the limit, the host waits before it closes."""
    handler = """
        import asyncio
        import threading

        go_on = threading.Event()
        ended = []

        def handle(ctx):
            go_on.wait()
            try:
                asyncio.run(ctx.plugin_data.set("notes", "late", 1))
            except Exception as error:
                ended.append(error.code)
    """
    write(
        tmp_path,
        "slow",
        runtimes={"go": function(timeoutMs=20)},
        files={"server/handler.py": handler},
    )
    monkeypatch.setattr("covel_host.host.CLOSE_BUDGET_S", 0.01)

    async def main() -> list[str]:
        async with opened(tmp_path) as host:
            played = await played_on(host, ManualRequest(target="slow/go"))
            assert played.report.failure is not None
            assert "was left behind" in played.report.failure.message
            module = host.catalog.packages["slow"].generation.handlers["slow/go"].__globals__
            await host.close()
            await host.ports.store.read(lambda reading: None)
            module["go_on"].set()
            while host.ports.tasks.pending:
                await asyncio.sleep(0)
            return list(module["ended"])

    assert asyncio.run(main()) == ["unavailable"]
    assert "handler of slow/go" in caplog.text
