"""A Chinese and an English session of one package: what each language of a session decides."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from covel_host.turn.admission import ManualRequest
from tests.support.hosts import Played, opened, play, played_on
from tests.support.packages import ENTRY_END, ENTRY_HEAD
from tests.support.replies import call, calls, say

MANIFEST: dict[str, Any] = {
    "displayName": "Bells",
    "description": "A package of a test.",
    "contributes": {
        "tools": ["ring"],
        "data": {"notes": {"schema": "./any.json", "version": 1}},
    },
    "runtime": {
        "schedule": {"trigger": {"type": "manual"}},
        "agent": {"tools": {"plugin": ["ring"]}, "finishWith": "ring"},
        "guard": "./server/guard.py",
    },
}
CODE = """
from plugin_sdk.rules import label_text, translate

@tool(name="ring")
async def ring(ctx: ToolContext, times: int) -> object:
    '''Ring the bell.'''
    text = translate(ctx, "The bell rang {n} times.", {"n": times})
    note = PluginData(namespace="notes", key="last", value=text)
    labels = label_text(ctx, "Rung")
    told = {"text": text, "locale": ctx.locale, "labels": labels}
    return with_pending_proposals(told, [note])
"""
GUARD = """
from plugin_sdk.outcomes import skip
from plugin_sdk.rules import translate

async def guard(ctx):
    if ctx.manual_payload == "skip":
        return skip(reason=translate(ctx, "Nobody is here."))
"""
ZH = {
    "PLUGIN.md": {"displayName": "铃"},
    "messages": {
        "The bell rang {n} times.": "铃响了{n}次。",
        "Rung": "已响",
        "Nobody is here.": "这里没有人。",
    },
}
BODY = "Ring, then speak of {{session.id}}."
DE = {"messages": {"Rung": "Geläutet"}}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "plugins" / "bells"
    (folder / "server").mkdir(parents=True)
    (folder / "locales").mkdir()
    files = {
        "PLUGIN.md": f"---\n{yaml.safe_dump(MANIFEST)}---\n{BODY}\n",
        "PLUGIN.zh.md": "---\n{}\n---\n敲铃，然后讲述{{session.id}}。\n",
        "any.json": "{}",
        "server/index.py": ENTRY_HEAD + CODE + ENTRY_END,
        "server/guard.py": GUARD,
        "locales/zh.yaml": yaml.safe_dump(ZH, allow_unicode=True),
        "locales/de.yaml": yaml.safe_dump(DE, allow_unicode=True),
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return tmp_path


def ring(home: Path, locale: str, **request: Any) -> Played:
    environ = {"COVEL_LOCALE": locale, **request.pop("environ", {})}
    replies = (say("Words."), calls(call("ring", {"times": 2})))
    return play(home, "bells", *replies, environ=environ, **request)


def told(played: Played) -> tuple[str, Any, Any]:
    """The system prompt, the full content of the tool, and what the model read of it."""
    [done_call, *_] = played.report.result.tool_calls
    system = played.requests[0].messages[0]
    return system.text, done_call.content, json.loads(done_call.envelope)  # type: ignore[union-attr]


def test_a_chinese_session_is_chinese_all_through(home: Path) -> None:
    played = ring(home, "zh-CN")
    assert played.report.committed, played.report.failure
    system, content, read = told(played)
    assert "敲铃，然后讲述" in system
    assert played.report.session_id in system
    assert "Ring, then" not in system
    assert content == {
        "text": "铃响了2次。",
        "locale": "zh-CN",
        "labels": {"en": "Rung", "zh": "已响", "de": "Geläutet"},
    }
    assert read["staged"]["notice"] == "已暂存，回合结束时生效（可能被拒绝）。"
    assert played.rows.data == {("notes", "last"): "铃响了2次。"}
    [*_, correction] = played.requests[1].messages
    assert "必须" in correction.text  # type: ignore[union-attr]


def test_an_english_session_of_the_same_package_is_english(home: Path) -> None:
    system, content, read = told(ring(home, "en-GB"))
    assert "Ring, then speak of" in system
    assert "敲铃" not in system
    assert (content["text"], content["locale"]) == ("The bell rang 2 times.", "en-GB")
    assert read["staged"]["notice"].startswith("Staged: ")


@pytest.mark.parametrize("locale", ["de", "zh-Hant", "zh-TW"])
def test_other_languages_have_english_instructions_and_their_own_content(
    home: Path, locale: str
) -> None:
    system, content, read = told(ring(home, locale))
    assert "Ring, then speak of" in system
    assert read["staged"]["notice"].startswith("Staged: ")
    # No script is crossed, and a message without a translation stays English.
    assert content["text"] == "The bell rang 2 times."
    assert content["locale"] == locale


def test_an_instruction_language_can_be_forced_and_content_stays(home: Path) -> None:
    forced = {"COVEL_INSTRUCTION_LOCALE": " ZH "}
    system, content, read = told(ring(home, "en", environ=forced))
    assert "敲铃" in system
    assert read["staged"]["notice"].startswith("已暂存")
    assert content["text"] == "The bell rang 2 times."


def test_the_language_of_a_session_never_changes(home: Path) -> None:
    first = ring(home, "zh")
    again = ring(home, "en", session_id=first.report.session_id)
    system, content, _read = told(again)
    assert "敲铃" in system
    assert (content["text"], content["locale"]) == ("铃响了2次。", "zh")
    assert again.rows.session.locale == "zh"


def test_both_sessions_run_side_by_side_in_one_host(home: Path) -> None:
    english, chinese = ring(home, "en"), ring(home, "zh")

    async def main() -> list[Played]:
        replies = (calls(call("ring", {"times": 3})),) * 2
        async with opened(home, *replies) as host:
            sessions = (english.report.session_id, chinese.report.session_id)
            requests = [ManualRequest(target="bells", session_id=one) for one in sessions]
            return [await played_on(host, request) for request in requests]

    texts = [told(played)[1]["text"] for played in asyncio.run(main())]
    assert texts == ["The bell rang 3 times.", "铃响了3次。"]


def test_guards_translate_as_well(home: Path) -> None:
    played = play(home, "bells", environ={"COVEL_LOCALE": "zh"}, payload="skip")
    assert played.report.result.status == "skipped"
    assert "这里没有人。" in str(played.kept_result)
