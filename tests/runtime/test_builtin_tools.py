"""The framework's own tools in whole runs: what is asked, shown, emitted and committed."""

import json
from pathlib import Path
from typing import Any

import pytest

from covel_host.models.messages import NamedTool
from tests.support.hosts import Played, play
from tests.support.packages import write_package
from tests.support.replies import call, calls, done, say

FIELD = {"type": "text", "name": "nick", "label": "Nickname"}
PART = {"id": "p", "type": "Card", "status": "success", "content": {"n": 1}}
HERB = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}


def form(form_id: str = "who", title: str = "Who?", **more: Any) -> Any:
    given = {"formId": form_id, "title": title, "fields": [FIELD], "submitLabel": "Go"}
    return call("create-form", {**given, "narrativeTemplate": "I am {{nick}}.", **more})


def choices(choice_id: str) -> Any:
    options = [{"id": "a", "label": "Stay"}, {"id": "b", "label": "Go"}]
    return call("create-choices", {"choiceId": choice_id, "prompt": "?", "choices": options})


def emit(topic: str, **data: Any) -> Any:
    return call("emit-event", {"topic": topic, "data": data})


def package(home: Path, *builtin: str, name: str = "demo", **more: Any) -> None:
    agent = {"tools": {"builtin": list(builtin), **more.pop("tools_group", {})}}
    agent.update(more.pop("agent", {}))
    write_package(home / "plugins" / name, agent=agent, **more)


def told(played: Played, event_type: str) -> list[Any]:
    return [event.payload for event in played.observer.events if event.type == event_type]


def asked(played: Played) -> list[tuple[str, str]]:
    blocks = [payload["block"] for payload in told(played, "interaction.requested")]
    return [(block["id"], block["data"].get("title") or block["type"]) for block in blocks]


def codes(played: Played) -> list[str | None]:
    return [json.loads(text).get("error", {}).get("code") for text in played.envelopes]


# --- questions and blocks --------------------------------------------------------------------


def test_the_last_success_of_one_interaction_is_asked_and_failures_replace_nothing(
    tmp_path: Path,
) -> None:
    package(tmp_path, "create-form", "create-choices")
    played = play(
        tmp_path,
        "demo",
        calls(form(title="First"), form("other"), form(title="Second")),
        calls(form(title="Broken", fields=[FIELD, FIELD]), choices("door")),
        done(),
    )
    assert played.report.committed
    assert codes(played)[:5] == [None, None, None, "invalid-input", None]
    assert asked(played) == [("other", "Who?"), ("who", "Second"), ("door", "choice")]


def test_a_choice_replaces_a_form_of_its_id(tmp_path: Path) -> None:
    package(tmp_path, "create-form", "create-choices")
    played = play(tmp_path, "demo", calls(form("one"), choices("one")), done())
    assert asked(played) == [("one", "choice")]


def test_a_run_that_fails_asks_nothing(tmp_path: Path) -> None:
    package(tmp_path, "create-form", agent={"loop": {"maxSteps": 1}})
    played = play(tmp_path, "demo", calls(form()))
    assert not played.report.committed
    assert asked(played) == []


def test_blocks_are_rendered_in_the_order_of_the_calls(tmp_path: Path) -> None:
    package(tmp_path, "create-notification", "render-ui")
    note = {"level": "info", "title": "Found", "message": "A key."}
    wanted = [call("create-notification", note), call("render-ui", {"parts": [PART]})]
    played = play(tmp_path, "demo", calls(*wanted), done())
    rendered = [payload["render"] for payload in told(played, "ui.rendered")]
    assert [render["parts"][0]["type"] for render in rendered] == ["Alert", "Card"]
    assert rendered[0]["parts"][0]["content"] == note
    assert rendered[1] == {"parts": [PART]}


CODE = """
@tool(name="ask")
async def ask() -> object:
    '''Ask.'''
    return {"interaction": {"type": "confirmation", "interactionId": "sure", "prompt": "Sure?",
                            "narrativeTemplate": "{{confirmed}}"}, "ui": [{"parts": [
        {"id": "p", "type": "Card", "status": "success", "content": None}]}]}

@tool(name="ask-reading", read_only=True)
async def ask_reading() -> object:
    '''Ask, though it only reads.'''
    return {"interaction": {"type": "confirmation", "interactionId": "sure", "prompt": "Sure?",
                            "narrativeTemplate": "{{confirmed}}"}}

@tool(name="broken")
async def broken() -> object:
    '''A block without parts.'''
    return {"ui": [{"layout": "split"}]}

@tool(name="ring")
async def ring() -> object:
    '''Ring by itself.'''
    return with_emitted_events({"rung": True}, [Event("bell.rung", {"by": "ring"})])
"""
NAMES = ["ask", "ask-reading", "broken", "ring"]


def test_a_packages_own_tool_asks_and_shows_in_the_same_way(tmp_path: Path) -> None:
    package(tmp_path, code=CODE, tools=NAMES)
    played = play(
        tmp_path,
        "demo",
        calls(call("ask"), call("ask-reading"), call("broken")),
        calls(call("ask")),
        done(),
    )
    assert codes(played)[:3] == [None, "internal", "internal"]
    assert "read-only tool returned writes" in played.envelopes[1]
    assert "'ui.0' cannot be shown" in played.envelopes[2]
    assert asked(played) == [("sure", "confirmation")]
    assert len(told(played, "ui.rendered")) == 2


def test_the_model_does_not_read_the_blocks_of_a_content(tmp_path: Path) -> None:
    package(tmp_path, code=CODE, tools=NAMES)
    played = play(tmp_path, "demo", calls(call("ask")), done())
    assert list(json.loads(played.envelopes[0])["data"]) == ["interaction"]


# --- events ----------------------------------------------------------------------------------


def listening(home: Path, **more: Any) -> None:
    """An agent that may emit, and a second package of its session that declares events."""
    package(home, "emit-event", agent={"advertiseEvents": True}, **more)
    topics = {"herb.found": HERB, "bell.rung": {"type": "object"}, "herb.internal": HERB}
    write_package(home / "plugins" / "garden", events=topics)


def emitting(home: Path, *replies: Any) -> Played:
    return play(home, "demo", *replies, packages=("garden",))


def test_an_event_is_committed_once_however_often_it_is_emitted(tmp_path: Path) -> None:
    listening(tmp_path)
    twice = [emit("herb.found", name="sage"), emit("herb.found", name="mint")]
    played = emitting(tmp_path, calls(*twice), calls(emit("herb.found", name="rue")), done())
    assert played.report.committed
    assert codes(played) == [None, None, None, None]
    assert "was already emitted this turn" in played.envelopes[1]
    [event] = told(played, "event.emitted")
    assert (event["topic"], event["data"]) == ("herb.found", {"name": "sage"})
    proposals = [one.type for one in played.report.result.proposals]
    assert proposals == ["event.emit"]


def test_the_definition_lists_the_public_topics_of_the_session(tmp_path: Path) -> None:
    listening(tmp_path)
    played = emitting(tmp_path, done())
    [definition] = [spec for spec in played.requests[0].tools if spec.name == "emit-event"]
    properties: Any = definition.input_schema["properties"]
    assert properties["topic"]["enum"] == ["bell.rung", "herb.found"]
    assert [form["title"] for form in properties["data"]["anyOf"]] == ["bell.rung", "herb.found"]


def test_the_prompt_lists_topics_with_what_they_require(tmp_path: Path) -> None:
    listening(tmp_path)
    system = emitting(tmp_path, done()).requests[0].messages[0].text
    assert "- bell.rung: About bell.rung.\n" in system
    assert "- herb.found: About herb.found. (required: name)" in system
    assert "internal" not in system


def test_a_session_without_the_package_knows_no_topic(tmp_path: Path) -> None:
    listening(tmp_path)
    played = play(tmp_path, "demo", calls(emit("herb.found", name="sage")), say("Done."))
    assert "(none — no consumer plugin active)" in played.envelopes[0]
    assert "available-events" not in played.requests[0].messages[0].text
    assert played.report.committed
    assert told(played, "event.emitted") == []


def test_internal_topics_are_neither_emitted_nor_named(tmp_path: Path) -> None:
    listening(tmp_path)
    played = emitting(tmp_path, calls(emit("herb.internal", name="sage")), done())
    assert codes(played)[0] == "refused"
    assert played.envelopes[0].endswith('Available topics: bell.rung, herb.found"}}')


@pytest.mark.parametrize(
    ("emitted", "reason"),
    [
        (emit("herb.found", name=7), "tool_failed_without_output"),
        (emit("ghost.seen"), None),
    ],
)
def test_a_wrong_payload_is_a_failure_of_the_run_and_an_unknown_topic_is_none(
    tmp_path: Path, emitted: Any, reason: str | None
) -> None:
    listening(tmp_path, io={"visibility": "system"})
    failure = emitting(tmp_path, calls(emitted), say("Done.")).report.result.failure
    assert (None if failure is None else failure.code) == reason


def test_a_later_success_makes_up_for_a_wrong_payload(tmp_path: Path) -> None:
    listening(tmp_path, io={"visibility": "system"})
    wrong, right = emit("herb.found", name=7), emit("herb.found", name="sage")
    played = emitting(tmp_path, calls(wrong), calls(right), say("Done."))
    assert played.report.committed
    assert len(told(played, "event.emitted")) == 1


def test_what_a_packages_tool_emitted_is_known_to_emit_event(tmp_path: Path) -> None:
    listening(tmp_path, code=CODE, tools=NAMES)
    played = emitting(tmp_path, calls(call("ring"), emit("bell.rung")), done())
    assert "was already emitted this turn" in played.envelopes[1]
    assert [event["data"] for event in told(played, "event.emitted")] == [{"by": "ring"}]


# --- suspend ---------------------------------------------------------------------------------


def test_a_suspension_stops_the_loop_and_commits_nothing_of_the_run(tmp_path: Path) -> None:
    package(tmp_path, "suspend", "create-form")
    wait = call("suspend", {"reason": "Who?", "fields": [FIELD]})
    played = play(tmp_path, "demo", calls(form(), wait, form("late")))
    assert played.report.result.status == "suspended"
    assert [one.status for one in played.report.result.tool_calls] == [
        "completed",
        "completed",
        "skipped",
    ]
    assert codes(played) == [None, None, "cancelled"]
    assert asked(played) == []


def test_a_suspend_that_fails_or_is_not_called_changes_nothing(tmp_path: Path) -> None:
    package(tmp_path, "suspend")
    wrong = call("suspend", {"reason": "Who?", "fields": []})
    assert play(tmp_path, "demo", calls(wrong), done()).report.committed
    assert play(tmp_path, "demo", done()).report.committed


def test_the_marker_of_another_tool_is_plain_data(tmp_path: Path) -> None:
    code = """
    @tool(name="pretend")
    async def pretend() -> object:
        '''Pretend.'''
        return {"_covelSuspend": True, "reason": "x", "resumeSchema": {}}
    """
    package(tmp_path, code=code, tools=["pretend"])
    assert play(tmp_path, "demo", calls(call("pretend")), done()).report.committed


# --- deferred tools --------------------------------------------------------------------------


DEFERRED = """
@tool(name="set-scene")
async def set_scene(place: str = "") -> object:
    '''切换场景背景 Change the background.'''
    return {"set": place}

@tool(name="play-music")
async def play_music() -> object:
    '''Play a tune.'''
    return {"playing": True}
"""


def stage(home: Path, **agent: Any) -> None:
    tools = {"builtin": ["create-form"], "plugin": ["set-scene", "play-music"]}
    tools |= agent.pop("tools", {"defer": True})
    write_package(
        home / "plugins" / "demo",
        code=DEFERRED,
        tools=["set-scene", "play-music"],
        agent={"tools": tools, **agent},
    )


def offered(played: Played) -> list[list[str]]:
    return [[spec.name for spec in request.tools] for request in played.requests]


def search(query: str, **more: Any) -> Any:
    return call("search-tools", {"query": query, **more})


def test_deferred_tools_are_found_and_offered_from_the_next_request_on(tmp_path: Path) -> None:
    stage(tmp_path)
    played = play(
        tmp_path,
        "demo",
        calls(search("场景背景")),
        calls(call("set-scene", {"place": "pier"})),
        calls(search("tune")),
        done(),
    )
    assert offered(played) == [
        ["runtime-done", "search-tools"],
        ["runtime-done", "search-tools", "set-scene"],
        ["runtime-done", "search-tools", "set-scene"],
        ["runtime-done", "search-tools", "set-scene", "play-music"],
    ]
    read = json.loads(played.envelopes[0])
    assert list(read) == ["summary"]
    assert "- set-scene: 切换场景背景 Change the background." in read["summary"]
    [definition] = [spec for spec in played.requests[0].tools if spec.name == "search-tools"]
    assert "3 tools of the plugin 'demo'" in definition.description


def test_only_the_listed_tools_are_deferred(tmp_path: Path) -> None:
    stage(tmp_path, tools={"defer": ["play-music"]})
    played = play(tmp_path, "demo", calls(search("change the background or play")), done())
    assert offered(played) == [
        ["set-scene", "create-form", "runtime-done", "search-tools"],
        ["set-scene", "create-form", "runtime-done", "search-tools", "play-music"],
    ]


def test_the_next_run_begins_with_the_short_list_again(tmp_path: Path) -> None:
    stage(tmp_path)
    play(tmp_path, "demo", calls(search("tune")), done())
    assert offered(play(tmp_path, "demo", done())) == [["runtime-done", "search-tools"]]


def test_a_deferred_tool_may_be_called_without_having_been_found(tmp_path: Path) -> None:
    stage(tmp_path)
    played = play(tmp_path, "demo", calls(call("play-music")), done())
    assert codes(played) == [None, None]


def test_a_search_is_traced_and_kept_like_any_call_and_is_a_barrier(tmp_path: Path) -> None:
    stage(tmp_path)
    played = play(tmp_path, "demo", calls(search("tune"), search("scene", limit=99)), done())
    assert codes(played) == [None, "invalid-input", None]
    rows = [(row.tool_name, row.status) for row in played.rows.tool_calls]
    assert rows[:2] == [("search-tools", "completed"), ("search-tools", "failed")]
    types = [row.type for row in played.rows.trace if row.data.get("toolName") == "search-tools"]
    assert types == ["tool.calling", "tool.completed", "tool.calling", "tool.failed"]


def test_searching_is_no_business_work(tmp_path: Path) -> None:
    stage(tmp_path, completion={"require": "tool-use"})
    played = play(
        tmp_path, "demo", calls(search("tune")), done(), calls(call("play-music")), done()
    )
    assert played.report.committed
    assert len(played.requests) == 4


def test_a_tool_that_the_model_is_forced_to_call_is_offered(tmp_path: Path) -> None:
    stage(tmp_path, finishWith="play-music")
    played = play(tmp_path, "demo", calls(call("play-music")))
    assert played.requests[0].tool_choice == NamedTool("play-music")
    assert offered(played) == [["search-tools", "play-music"]]


def test_without_deferred_tools_there_is_nothing_to_search(tmp_path: Path) -> None:
    stage(tmp_path, tools={})
    played = play(tmp_path, "demo", calls(search("tune")), done())
    assert codes(played)[0] == "unavailable"
    assert "search-tools" not in offered(played)[0]


def test_generated_tools_of_data_sets_are_deferred_and_found_too(tmp_path: Path) -> None:
    write_package(
        tmp_path / "plugins" / "demo",
        datasets={"npcs": {"schema": "./npc.json", "description": "The people of the harbor."}},
        files={"npc.json": '{"type": "object", "properties": {"name": {"type": "string"}}}'},
        agent={"tools": {"datasets": ["npcs"], "defer": True}},
    )
    played = play(tmp_path, "demo", calls(search("people of the harbor", limit=1)), done())
    first, second = offered(played)
    assert first == ["runtime-done", "search-tools"]
    assert second[2].startswith("npcs-")
