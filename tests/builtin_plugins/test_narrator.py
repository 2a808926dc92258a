"""The bundled narrator, as sessions, manifests and prompts show it."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from covel_host.cli.app import run
from covel_host.host import Host
from covel_host.models.messages import SystemMessage, UserMessage
from covel_host.models.selector import UseOffline
from covel_host.settings import read_settings
from covel_host.store.messages import list_messages
from covel_host.store.sessions import require_session
from covel_host.turn.errors import RequestRefused
from covel_host.turn.session_setting_changes import set_setting
from covel_host.turn.turns import TurnReport, TurnRequest
from tests.support.casts import agent, cast, function
from tests.support.replies import PlayedGateway, Reply, broken, call, calls, done, say

Value = TypeVar("Value")
BUNDLED = Path(__file__).parents[2] / "builtin_plugins"


def hosted(
    home: Path,
    body: Callable[[Host], Awaitable[Value]],
    *replies: Reply,
    packages: tuple[str, ...] = (),
    locale: str | None = None,
) -> Value:
    """What `body` gives on a host with the bundled packages and `packages` of the home."""

    async def main() -> Value:
        settings = read_settings({"COVEL_HOME": str(home)}, trust=packages, locale=locale)
        host = await Host.open(settings, load=packages, selector=UseOffline())
        if replies:
            host.ports = replace(host.ports, gateway=PlayedGateway(replies))
        try:
            return await body(host)
        finally:
            await host.close()

    return asyncio.run(main())


async def told(host: Host, *packages: str, message: str = "I look around.") -> TurnReport:
    session_id = await host.begin_session(packages)
    return await host.play(TurnRequest(session_id=session_id, message=message))


def test_it_is_valid_by_the_strictest_measure(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate-plugin", "--strict", str(BUNDLED / "narrator")]) == 0
    assert "No problems" in capsys.readouterr().out


def test_a_session_with_nothing_else_tells_a_story_without_a_model(tmp_path: Path) -> None:
    async def body(host: Host) -> None:
        report = await told(host)
        assert report.committed
        rows = await host.ports.store.read(
            lambda reading: list_messages(reading, report.session_id)
        )
        assert [one.source for one in rows] == ["player", "runtime"]
        assert "Offline model" in rows[1].content

    hosted(tmp_path, body)


def test_it_is_in_every_new_session_unless_another_engine_is_asked_for(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "bard",
        {"": agent(schedule={"stage": "narrative"}, io=STORY_IO)},
        provides=["narrative-engine@1"],
        contracts={"narrative-engine@1": {"schema": "./any.json"}},
    )

    async def body(host: Host) -> list[tuple[str, ...]]:
        ids = [await host.begin_session(), await host.begin_session(["bard"])]
        return [
            host.ports.store.read_now(
                lambda reading, one=one: require_session(reading, one)
            ).active_packages
            for one in ids
        ]

    assert hosted(tmp_path, body, packages=("bard",)) == [
        ("history-compaction", "narrator"),
        ("bard", "history-compaction"),
    ]


STORY_IO = {"visibility": "story", "output": {"contract": "narrative-engine@1"}}


def test_a_session_cannot_begin_with_a_package_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RequestRefused) as refused:
        hosted(tmp_path, lambda host: host.begin_session(["bard"]))
    assert refused.value.code == "package-not-found"


def test_later_runtimes_read_its_paragraphs_and_its_whole_text(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "reader",
        {
            "": function(
                'return success({"story": ctx.inputs["story"]["value"],'
                ' "text": ctx.inputs["text"]["value"]})',
                schedule={"stage": "post-turn"},
                io={
                    "inputs": {
                        "story": {"from": {"contract": "narrative-engine@1"}, "required": True},
                        "text": {
                            "from": {"contract": "narrative-engine@1"},
                            "select": "/narrativeOutput",
                        },
                    }
                },
            )
        },
        requires=["narrative-engine@1"],
    )
    text = "Rain fell.\n\n\n“Who is there?”\nNobody."

    async def body(host: Host) -> Any:
        report = await told(host, "reader")
        return report.executions[0].results[-1].output

    assert hosted(tmp_path, body, say(text), packages=("reader",)) == {
        "story": {
            "segments": [
                {"text": "Rain fell.", "kind": "narration"},
                {"text": "“Who is there?”\nNobody.", "kind": "narration"},
            ],
            "narrativeOutput": text,
        },
        "text": text,
    }


def test_a_turn_whose_story_fails_is_no_turn(tmp_path: Path) -> None:
    report = hosted(tmp_path, told, *[broken(retriable=False)])
    assert not report.committed


# --- what it is told --------------------------------------------------------------------------


def prompts(home: Path, *, locale: str | None = None, **settings: str) -> list[Any]:
    """The system prompt, and the messages, of one turn with those settings."""

    async def body(host: Host) -> list[Any]:
        session_id = await host.begin_session()
        for key, value in settings.items():
            await set_setting(
                host.ports, session_id, "narrator", key, value, catalog=host.catalog, slots=()
            )
        await host.play(TurnRequest(session_id=session_id, message="I knock."))
        gateway = host.ports.gateway
        assert isinstance(gateway, PlayedGateway)
        [request] = gateway.requests
        return list(request.messages)

    return hosted(home, body, say("A door opens."), locale=locale)


def test_its_settings_stand_in_its_prompt(tmp_path: Path) -> None:
    system = prompts(tmp_path, narrativePerson="third", proseLength="long")[0].text
    assert "- Person: third." in system
    assert "- Length: long." in system
    assert "{{" not in system


def test_it_tells_in_the_second_person_at_medium_length_by_default(tmp_path: Path) -> None:
    system = prompts(tmp_path)[0].text
    assert "- Person: second." in system
    assert "- Length: medium." in system


def test_a_chinese_session_has_its_instructions_in_chinese(tmp_path: Path) -> None:
    system = prompts(tmp_path, locale="zh-CN")[0].text
    assert "你是一个互动故事的叙述者" in system
    assert "人称：second" in system
    assert "You are the narrator" not in system


def test_both_bodies_have_the_same_parts() -> None:
    texts = [
        (BUNDLED / "narrator" / name).read_text("utf-8") for name in ("PLUGIN.md", "PLUGIN.zh.md")
    ]
    bodies = [text.split("---\n", 2)[2] for text in texts]
    counted = [
        [body.count(mark) for mark in ("\n# ", "\n- ", "\n1. ", "`", "{{ ")] for body in bodies
    ]
    assert counted[0] == counted[1]


def test_the_sheets_of_characters_stand_behind_the_history(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "maker",
        {"": agent(schedule={"stage": "pre-turn"}, agent={"tools": {"builtin": SYNC}})},
    )
    made = {
        "creates": [
            {"name": "Mira", "type": "player", "description": "A diver."},
            {"name": "Hanne", "type": "npc", "description": "</character-profiles>", "aliases": []},
        ]
    }

    async def body(host: Host) -> list[Any]:
        session_id = await host.begin_session(["maker"])
        for message in ("I knock.", "I wait."):
            await host.play(TurnRequest(session_id=session_id, message=message))
        gateway = host.ports.gateway
        assert isinstance(gateway, PlayedGateway)
        return list(gateway.requests[-1].messages)

    replies = [calls(call("sync-characters", made)), done(), say("Yes?"), done(), say("Again.")]
    messages = hosted(tmp_path, body, *replies, packages=("maker",))
    sheets, said = messages[-2:]
    assert isinstance(said, UserMessage)
    assert isinstance(sheets, SystemMessage)
    assert [line for line in sheets.text.split("\n") if line.startswith("<")] == [
        "<player-character>",
        "</player-character>",
        "<character-profiles>",
        "</character-profiles>",
    ]
    lines = [json.loads(line) for line in sheets.text.split("\n") if line.startswith("{")]
    assert [(one["name"], one["description"]) for one in lines] == [
        ("Mira", "A diver."),
        ("Hanne", "</character-profiles>"),
    ]
    assert not any("Mira" in message.text for message in messages[:-2] if message is messages[0])


SYNC = ["sync-characters", "runtime-done"]
