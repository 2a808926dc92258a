"""What a player adds while a story is told (spec/execution.md 5.9)."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from covel_host.models.messages import (
    DeltaSink,
    ModelReply,
    ModelRequest,
    TextDelta,
    UserMessage,
)
from covel_host.turn.errors import RequestRefused
from tests.support.casts import Table, agent, at_table, cast, function, story
from tests.support.replies import Play, broken, call, calls, say

POST = {"stage": "post-turn"}


def interrupted(
    table: Callable[[], Table], reply: ModelReply, *texts: str, told: list[Any] | None = None
) -> Play:
    """A reply while which the player writes `texts`."""

    async def play(request: ModelRequest, on_delta: DeltaSink) -> ModelReply:
        for text in texts:
            added = table().host.interject(table().session_id, text)
            if told is not None:
                told.append(added)
        if reply.text:
            await on_delta(TextDelta(reply.text))
        return reply

    return play


def at(
    home: Path, body: Callable[[Table], Awaitable[Any]], replies: Callable[[Any], list[Any]]
) -> Any:
    """As `at_table`, for replies that reach the table."""
    seat: list[Table] = []

    async def sit(table: Table) -> Any:
        seat.append(table)
        return await body(table)

    return at_table(home, sit, *replies(lambda: seat[0]))


def users(request: ModelRequest) -> list[str]:
    return [one.text for one in request.messages if isinstance(one, UserMessage)]


def test_the_story_goes_on_with_what_the_player_added(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"told": story()})
    added: list[Any] = []

    async def body(table: Table) -> Any:
        turn = await table.play("I wait.")
        return turn, table.host.ports.gateway.requests  # type: ignore[attr-defined]

    turn, requests = at(
        tmp_path,
        body,
        lambda table: [
            interrupted(table, say("Rain fell."), "I run!", told=added),
            say("You ran."),
        ],
    )
    assert turn.report.committed
    assert "I run!" not in users(requests[0])
    assert users(requests[1])[-1] == "I run!"
    assert [(one.source, one.content) for one in turn.rows.messages] == [
        ("player", "I wait."),
        ("player", "I run!"),
        ("runtime", "Rain fell.\n\nYou ran."),
    ]
    assert turn.rows.messages[1].message_id == added[0].message_id
    assert turn.rows.messages[1].data == {"isInterjection": True}
    # What was written before is part of the story, and nothing of it was taken back.
    assert None not in turn.observer.texts
    assert "".join(turn.observer.texts) == "Rain fell.\n\nYou ran."


def test_one_that_comes_between_calls_is_told_before_the_next_one(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"told": story(agent={"tools": {"builtin": ["create-notification"]}})})
    first = calls(call("create-notification", {"level": "info", "title": "Hm", "message": "Hm."}))

    async def body(table: Table) -> Any:
        turn = await table.play("I wait.")
        return turn, table.host.ports.gateway.requests  # type: ignore[attr-defined]

    turn, requests = at(
        tmp_path, body, lambda table: [interrupted(table, first, "a", "b"), say("Done.")]
    )
    assert users(requests[1])[-2:] == ["a", "b"]
    assert [one.content for one in turn.rows.messages] == ["I wait.", "a", "b", "Done."]


def test_a_draft_after_one_is_taken_back_and_the_story_before_it_stays(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"told": story(agent={"tools": {"builtin": ["create-notification"]}})})
    draft = say(
        "Let me see.",
        call("create-notification", {"level": "info", "title": "Hm", "message": "Hm."}),
    )
    turn = at(
        tmp_path,
        lambda table: table.play("I wait."),
        lambda table: [interrupted(table, say("Rain fell."), "I run!"), draft, say("You ran.")],
    )
    texts = turn.observer.texts
    shown = "".join(texts[texts.index(None) + 1 :])
    assert shown == "Rain fell.\n\nYou ran."
    assert turn.rows.messages[-1].content == shown


def test_without_steps_left_the_story_ends_and_nothing_is_stored(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"told": story(agent={"loop": {"maxSteps": 1}})})
    turn = at(
        tmp_path,
        lambda table: table.play("I wait."),
        lambda table: [interrupted(table, say("Rain fell."), "I run!")],
    )
    assert [one.content for one in turn.rows.messages] == ["I wait.", "Rain fell."]


def test_a_turn_that_is_not_committed_stores_none(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"told": story(agent={"loop": {"maxRetries": 0}})})
    turn = at(
        tmp_path,
        lambda table: table.play("I wait."),
        lambda table: [interrupted(table, say("Rain fell."), "I run!"), broken()],
    )
    assert not turn.report.committed
    assert turn.rows.messages == []


def test_after_the_narrative_and_outside_turns_it_is_refused(tmp_path: Path) -> None:
    code = """
    import sys
    sys.modules["covel_test_reached"].reach()
    return success()
    """
    cast(tmp_path, "tale", {"told": story(), "after": function(code, schedule=POST)})
    refused: list[str] = []

    async def body(table: Table) -> Any:
        import sys

        def reach() -> None:
            with pytest.raises(RequestRefused) as caught:
                table.host.interject(table.session_id, "Wait!")
            refused.append(caught.value.code)

        module = type(sys)("covel_test_reached")
        module.__dict__["reach"] = reach
        sys.modules["covel_test_reached"] = module
        try:
            reach()
            turn = await table.play("I wait.")
            reach()
            return turn
        finally:
            del sys.modules["covel_test_reached"]

    turn = at_table(tmp_path, body, say("Rain fell."))
    assert turn.report.committed
    assert refused == ["nothing-to-interject"] * 3


def test_without_a_story_nobody_can_add_anything(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"track": agent(schedule=POST)})
    caught: list[str] = []

    def replies(table: Callable[[], Table]) -> list[Any]:
        async def play(request: ModelRequest, on_delta: DeltaSink) -> ModelReply:
            try:
                table().host.interject(table().session_id, "Wait!")
            except RequestRefused as error:
                caught.append(error.code)
            return say("Noted.")

        return [play]

    at(tmp_path, lambda table: table.play("I wait."), replies)
    assert caught == ["nothing-to-interject"]


@pytest.mark.parametrize("text", ["", "   ", "x" * 20_001, "\ud800"])
def test_what_could_not_be_stored_is_refused_at_once(tmp_path: Path, text: str) -> None:
    cast(tmp_path, "tale", {"told": story()})

    async def body(table: Table) -> str:
        with pytest.raises(RequestRefused) as caught:
            table.host.interject(table.session_id, text)
        return caught.value.code

    assert at_table(tmp_path, body) == "interjection-invalid"


def test_an_aborted_turn_takes_none_along_to_the_next(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"told": story()})

    def replies(table: Callable[[], Table]) -> list[Any]:
        async def stuck(request: ModelRequest, on_delta: DeltaSink) -> ModelReply:
            table().host.interject(table().session_id, "I run!")
            raise asyncio.CancelledError

        return [stuck, say("Rain fell.")]

    async def body(table: Table) -> Any:
        await table.play("I wait.")
        return await table.play("I wait.")

    turn = at(tmp_path, body, replies)
    assert [one.content for one in turn.rows.messages] == ["I wait.", "Rain fell."]
