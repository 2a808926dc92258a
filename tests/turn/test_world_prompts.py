"""One world in two languages: what the model of a package is told in sessions made from a pack."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from covel_host.models.messages import ModelRequest, SystemMessage
from covel_host.store.interactions import list_interactions
from covel_host.turn.admission import ManualRequest
from covel_host.turn.answer_checks import Answer
from covel_host.turn.answering import AnswersRequest, answer_questions
from covel_host.turn.ports import SilentObserver
from covel_host.turn.world_sessions import WorldSessionRequest
from tests.support.hosts import opened, played_on
from tests.support.replies import call, calls, say

SALT_LANTERN = Path(__file__).parents[2] / "templates" / "worlds" / "salt-lantern"

VARIABLES = (
    "player.message",
    "player.lastFormValues",
    "player.lastFormValues.name",
    "player.character.name",
    "characters.npcs",
    "session.id",
    "session.turnNumber",
    "session.status",
    "world.name",
    "world.description",
    "world.tags",
    "world.lore",
    "world.schema.types",
    "world.schema.attributes.0.name",
    "world.entries",
    "world.entries.grey-salt.content",
    "world.dimensions.tide.name",
    "world.dimensions.tide.value.sign",
    "userSettings.tone",
    "inputs.nobody.nothing.here",
)
BODY = "\n".join(f"[{name}={{{{ {name} }}}}]" for name in VARIABLES)
TOOLS = ("sync-characters", "list-characters", "world-dimension-get", "create-form")
FORM = {
    "formId": "who",
    "title": "Who are you?",
    "fields": [{"name": "name", "label": "Name", "type": "text", "required": True}],
    "submitLabel": "Go",
    "narrativeTemplate": "I am {{name}}.",
}


def package(home: Path) -> None:
    folder = home / "plugins" / "teller"
    folder.mkdir(parents=True)
    manifest = {
        "description": "Tells what it was told.",
        "provides": ["world.dimensions@1"],
        "contributes": {
            "settings": [{"key": "tone", "label": "Tone", "type": "text", "default": "dry"}]
        },
        "runtime": {
            "schedule": {"trigger": {"type": "manual"}},
            "agent": {"tools": {"builtin": list(TOOLS)}},
        },
    }
    head = f"---\n{json.dumps(manifest)}\n---\n"
    (folder / "PLUGIN.md").write_text(f"{head}Tell it.\n{BODY}\n", encoding="utf-8")
    (folder / "PLUGIN.zh.md").write_text(f"---\n---\n讲出来。\n{BODY}\n", encoding="utf-8")


def told(home: Path, locale: str, message: str) -> tuple[str, dict[str, str], list[ModelRequest]]:
    """The session, the variables of the last prompt, and the requests of two turns."""

    async def main() -> tuple[str, dict[str, str], list[ModelRequest]]:
        player = {"name": "Wren", "type": "player"}
        replies = (
            calls(call("sync-characters", {"creates": [player]}), call("create-form", FORM)),
            say("Done."),
            say("Done."),
        )
        async with opened(home, *replies) as host:
            made = await host.open_world(
                WorldSessionRequest(pack=SALT_LANTERN, packages=("teller",), locale=locale)
            )
            session_id = made.session.session_id
            first = await played_on(host, ManualRequest(target="teller", session_id=session_id))
            assert first.report.failure is None, first.report.failure
            [asked] = await host.ports.store.read(
                lambda reading: list_interactions(reading, session_id)
            )
            answer = Answer(first.report.turn_id, asked.interaction_id, {"name": "Wren"})
            request = AnswersRequest(session_id=session_id, answers=(answer,))
            await answer_questions(request, host.ports, SilentObserver())
            second = await played_on(
                host, ManualRequest(target="teller", session_id=session_id, message=message)
            )
            assert second.report.failure is None, second.report.failure
            system = next(
                one.text for one in second.requests[-1].messages if isinstance(one, SystemMessage)
            )
            return session_id, _variables(system), second.requests

    return asyncio.run(main())


def _variables(system: str) -> dict[str, str]:
    found = {}
    for name in VARIABLES:
        start = system.index(f"[{name}=") + len(name) + 2
        after = [system.find(f"]\n[{other}=", start) for other in VARIABLES]
        end = min((place for place in after if place >= 0), default=system.index("]", start))
        found[name] = system[start:end]
    return found


@pytest.mark.parametrize(
    ("locale", "message", "expected"),
    [
        (
            "en",
            "I ask for grey salt.",
            {
                "world.name": "The Lantern Pans",
                "world.schema.attributes.0.name": "Trade",
                "world.dimensions.tide.name": "Tide",
                "world.dimensions.tide.value.sign": "The flats begin to show their ribs.",
            },
        ),
        (
            "zh-CN",
            "我打听灰盐。",
            {
                "world.name": "灯盐滩",
                "world.schema.attributes.0.name": "行当",
                "world.dimensions.tide.name": "潮汐",
                "world.dimensions.tide.value.sign": "滩涂渐渐露出了肋骨。",
            },
        ),
    ],
)
def test_every_variable_has_its_value_in_the_sessions_language(
    tmp_path: Path, locale: str, message: str, expected: dict[str, str]
) -> None:
    package(tmp_path)
    session_id, found, requests = told(tmp_path, locale, message)
    assert {name: found[name] for name in expected} == expected
    assert found["player.message"] == message
    assert found["player.lastFormValues"] == '{"name":"Wren"}'
    assert found["player.lastFormValues.name"] == found["player.character.name"] == "Wren"
    assert found["session.id"] == session_id
    assert found["session.turnNumber"].isdigit()
    assert found["session.status"] == "active"
    assert found["userSettings.tone"] == "dry"
    assert found["inputs.nobody.nothing.here"] == ""
    assert found["world.schema.types"] == "npc, companion"
    assert len(found["characters.npcs"].splitlines()) == 3
    assert [line.split(":")[0] for line in found["world.entries"].splitlines()] == [
        "- lamp-law",
        "- fortieth-lamp",
        "- grey-salt",
        "- causeway",
    ]
    is_chinese = locale == "zh-CN"
    for name in (
        "world.description",
        "world.tags",
        "world.lore",
        "world.entries.grey-salt.content",
    ):
        assert found[name]
        if name != "world.tags":
            assert _holds_cjk(found[name]) == is_chinese, name
    system, *later = (one.text for one in requests[-1].messages if isinstance(one, SystemMessage))
    assert ("讲出来。" in system, "Tell it." in system) == (is_chinese, not is_chinese)
    # The player named grey salt: its entry comes with the turn, the others do not.
    entry = found["world.entries.grey-salt.content"]
    assert [entry in text for text in later] == [True]
    assert found["world.entries"].count("\n") == 3


def _holds_cjk(text: str) -> bool:
    return any("\u4e00" <= char <= "\u9fff" for char in text)


def test_tools_and_framework_sentences_follow_the_rules_of_languages(tmp_path: Path) -> None:
    package(tmp_path)
    both: dict[str, Any] = {}
    for locale, message in (("en", "Hello."), ("zh-CN", "你好。")):
        _, _, requests = told(tmp_path, locale, message)
        both[locale] = requests
    english, chinese = both["en"], both["zh-CN"]
    # Names of tools and what they are for are English in every session, like their results.
    for ours, theirs in zip(english[-1].tools, chinese[-1].tools, strict=True):
        assert (ours.name, ours.description) == (theirs.name, theirs.description)
    for requests, opening, staged in (
        (english, "[framework] Carry out your task now.", "Staged: it takes effect"),
        (chinese, "[框架] 现在执行你的任务。", "已暂存，回合结束时生效"),
    ):
        texts = [getattr(one, "text", "") for one in requests[1].messages]
        assert opening in texts
        [created] = [text for text in texts if "player-wren" in text]
        assert created.startswith('{"summary":"Created player')
        assert staged in created
