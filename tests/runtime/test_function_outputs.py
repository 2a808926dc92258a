"""What a function runtime's tool calls show and emit (seed: 交互协议, 事件走哪条通道)."""

from pathlib import Path
from typing import Any

from tests.runtime.test_function_packages import function, write
from tests.support.hosts import Played, play

HANDLER = """
    from plugin_sdk import Effects, Event, failed, skipped, success

    FORM = {"formId": "who", "title": "Who?", "fields": [], "submitLabel": "Go",
            "narrativeTemplate": "x"}

    async def handle(ctx):
        await ctx.tools.call("create-form", FORM)
        await ctx.tools.call("create-form", {**FORM, "title": "Again"})
        emitted = await ctx.tools.call("emit-event", {"topic": "dice.rolled", "data": {"n": 1}})
        again = await ctx.tools.call("emit-event", {"topic": "dice.rolled", "data": {"n": 2}})
        if ctx.manual_payload == "skip":
            return skipped("Nothing.")
        if ctx.manual_payload == "fail":
            return failed("No.")
        value = [emitted, again]
        return success(value, effects=Effects(events=[Event("dice.internal", {"n": 3})]))
"""


def dice(home: Path, payload: Any = None) -> Played:
    event = {"schema": "any.json", "description": "Rolled."}
    write(
        home,
        "dice",
        runtimes={"roll": function(tools={"builtin": ["create-form", "emit-event"]})},
        files={"server/handler.py": HANDLER, "any.json": '{"type": "object"}'},
        contributes={
            "events": [
                {"topic": "dice.rolled", **event},
                {"topic": "dice.internal", "advertise": False, **event},
            ]
        },
    )
    return play(home, "dice/roll", payload=payload)


def told(played: Played) -> list[Any]:
    names = {"event.emitted": "data", "interaction.requested": "block"}
    return [
        event.payload[names[event.type]] for event in played.observer.events if event.type in names
    ]


def test_calls_of_a_handler_ask_and_emit_like_those_of_an_agent(tmp_path: Path) -> None:
    played = dice(tmp_path)
    assert played.report.committed, played.report.failure
    effect, block, emitted = told(played)
    assert (effect, emitted) == ({"n": 3}, {"n": 1})
    assert block["data"]["title"] == "Again"
    assert played.report.result.value == [
        {"topic": "dice.rolled", "emitted": True},
        {"topic": "dice.rolled", "emitted": False},
    ]


def test_a_skipped_run_keeps_them_and_a_failed_one_does_not(tmp_path: Path) -> None:
    assert len(told(dice(tmp_path, "skip"))) == 2
    assert told(dice(tmp_path, "fail")) == []
