"""Extensions of a session's packages in the prompts of its agents, through a whole host."""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from covel_host.trace.events import TraceEvent
from covel_host.turn.admission import ManualRequest
from covel_host.turn.turns import TurnRequest
from tests.support.extension_packages import (
    fill_journal,
    system_of,
    told_of,
    write_agents,
    write_extensions,
)
from tests.support.hosts import Played, Recorder, opened, play, played_on
from tests.support.packages import write_package
from tests.support.replies import say
from tests.support.service_packages import write_provider

SEGMENT = "prompt.segment@1"
TRANSFORM = "prompt.history-transform@1"
WORLD = "session.world-context@1"


def asked(home: Path, *packages: str, message: str | None = "Hello.", **agent: Any) -> Played:
    write_package(home / "plugins" / "teller", agent=agent)
    return play(home, "teller", say("Done."), message=message, packages=packages)


def calls_of(played: Played) -> list[TraceEvent]:
    return [one for one in played.observer.trace if one.type == "plugin.service.completed"]


def outcomes(played: Played) -> list[tuple[Any, Any, Any]]:
    return [
        (one.data["name"], one.data["outcome"], one.data.get("errorCode"))
        for one in calls_of(played)
    ]


def test_segments_stand_where_their_position_and_volatility_say(tmp_path: Path) -> None:
    code = """
    def seg(name, position, **more):
        return PromptSegment(id=name, content=f"<<{name}>>", position=position, **more)

    @extension("prompt.segment@1", id="all")
    async def all_places(ctx: ExtensionContext, query: PromptQuery) -> list[PromptSegment]:
        return [
            seg("turn", "system"),
            seg("session", "system", volatility="session"),
            seg("stable", "system", volatility="stable"),
            seg("pre-system", "pre-history", volatility="session"),
            seg("pre-turn", "pre-history"),
            seg("pre-user", "pre-history", role="user"),
            seg("post", "post-history", role="assistant"),
            seg("deep", SegmentDepth(depth=1)),
            seg("story", "system", audience="story"),
            seg("self", "system", audience="self"),
            seg("other", "system", audience=ContractAudience(contract="no.body@1")),
            seg("said", "post-history").model_copy(update={"content": query.player_message}),
        ]
    """
    write_extensions(tmp_path, "hints", [(SEGMENT, "all")], code)
    played = asked(tmp_path, "hints")
    [request] = played.requests
    system = system_of(request)
    places = [system.index(f"<<{name}>>") for name in ("stable", "session", "pre-system")]
    assert places == sorted(places)
    assert system.index("Do what you are asked.") < places[0]
    assert told_of(request) == [
        "u:<<pre-user>>",
        "s:<<pre-turn>>\n\n<<turn>>",
        "s:<<deep>>",
        "u:Hello.",
        "a:<<post>>",
        "s:Hello.",
    ]
    whole = system + "".join(told_of(request))
    assert not any(f"<<{name}>>" in whole for name in ("story", "self", "other"))
    [event] = calls_of(played)
    assert {name: event.data[name] for name in ("extension", "contract", "outcome")} == {
        "extension": f"{SEGMENT}/all",
        "contract": SEGMENT,
        "outcome": "completed",
    }
    assert event.data["providerPluginId"] == "hints"


def test_segments_are_sorted_by_order_then_package_and_the_manifest_decides(
    tmp_path: Path,
) -> None:
    code = """
    @extension("prompt.segment@1", id="{0}")
    def one(query: PromptQuery) -> list[PromptSegment]:
        return [PromptSegment(id="{0}", content="<<{0}>>", position="post-history", order={1})]
    """
    write_extensions(tmp_path, "b", [(SEGMENT, "late")], code.format("late", 5))
    write_extensions(tmp_path, "c", [(SEGMENT, "mid", 3)], code.format("mid", 0))
    write_extensions(tmp_path, "a", [(SEGMENT, "first", 9)], code.format("first", 0))
    played = asked(tmp_path, "c", "b", "a")
    told = told_of(played.requests[0])
    assert told[-3:] == ["s:<<first>>", "s:<<mid>>", "s:<<late>>"]
    # Asked by the order of the manifest, told by that of the segments.
    assert [name for name, _, _ in outcomes(played)] == ["late", "mid", "first"]


def test_static_segments_are_for_the_runtimes_of_their_own_package(tmp_path: Path) -> None:
    segments = [
        {"id": "tone", "content": "Be calm. {{ player.message }}", "position": "system"},
        {"id": "end", "content": "Keep it short.", "position": {"depth": 0}, "role": "user"},
    ]
    write_package(tmp_path / "plugins" / "teller")
    manifest = (tmp_path / "plugins" / "teller" / "PLUGIN.md").read_text()
    added = manifest.replace("contributes:\n", f"contributes:\n  prompt: {json.dumps(segments)}\n")
    (tmp_path / "plugins" / "teller" / "PLUGIN.md").write_text(added)
    variant = json.dumps([{"id": "tone", "content": "平静。"}])
    zh = f"---\ncontributes:\n  prompt: {variant}\n---\n讲。\n"
    (tmp_path / "plugins" / "teller" / "PLUGIN.zh.md").write_text(zh, encoding="utf-8")
    other = tmp_path / "plugins" / "other"
    other.mkdir()
    head = json.dumps({"description": "x", "contributes": {"prompt": segments}})
    (other / "PLUGIN.md").write_text(f"---\n{head}\n---\n")

    def requests(environ: dict[str, str]) -> Played:
        return play(
            tmp_path,
            "teller",
            say("Done."),
            message="Hi.",
            packages=("other",),
            environ=environ,
        )

    english = requests({}).requests[0]
    # A variant makes it one of the turn: it depends on the language of the instructions.
    assert told_of(english) == ["s:Be calm. {{ player.message }}", "u:Hi.", "u:Keep it short."]
    assert "Be calm" not in system_of(english)
    chinese = requests({"COVEL_INSTRUCTION_LOCALE": "zh"}).requests[0]
    assert told_of(chinese)[0] == "s:平静。"


HANGS = """
    @extension("prompt.segment@1", id="hangs")
    async def hangs(ctx: ExtensionContext, query: PromptQuery) -> list[PromptSegment]:
        try:
            await asyncio.Event().wait()
        finally:
            assert ctx.signal.cancelled
"""


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (HANGS, "timeout"),
        ("raise RuntimeError('broken')", "internal"),
        ("raise SystemExit(3)", "internal"),
        ("raise KeyboardInterrupt", "internal"),
        ("raise asyncio.CancelledError", "internal"),
        ("raise ToolError('unavailable', 'Not now.')", "unavailable"),
        ("return [{'id': 'x'}]", "internal"),
        ("return {'id': 'x'}", "internal"),
        ("return 7", "internal"),
        ("return [object()]", "internal"),
        ("return [PromptSegment(id='x', content='x', position='nowhere')]", "internal"),
        ("return [PromptSegment(id='x', content='y' * 60_000, position='system')]", "internal"),
        ("return [PromptSegment(id='x', content='y' * 20_000_000, position='system')]", "internal"),
        ("return [PromptSegment(id='x', content='x', position='system')] * 2", "internal"),
        (
            "return [PromptSegment(id=str(n), content='x', position='system') for n in range(99)]",
            "internal",
        ),
        ("return [PromptSegment(id='x', content='\\ud800', position='system')]", "internal"),
        ("return await ctx.plugin_data.get('notes', 7)", "invalid-input"),
        (
            "return [PromptSegment(id='x', content='x', position='system', order=1.5)]",
            "internal",
        ),
    ],
)
def test_an_extension_that_fails_is_left_out_and_the_run_goes_on(
    tmp_path: Path, code: str, error: str, caplog: pytest.LogCaptureFixture
) -> None:
    if code is not HANGS:
        code = f"""
    @extension("prompt.segment@1", id="hangs")
    async def hangs(ctx: ExtensionContext, query):
        {code}
        """.replace(", query)", ", query: PromptQuery)")
    code += """
    @extension("prompt.segment@1", id="works")
    async def works(query: PromptQuery) -> list[PromptSegment]:
        return [PromptSegment(id="w", content="<<works>>", position="post-history")]
    """
    write_extensions(tmp_path, "hints", [(SEGMENT, "hangs"), (SEGMENT, "works")], code)
    with caplog.at_level(logging.WARNING, logger="covel_host.runtime.extensions"):
        played = asked(tmp_path, "hints")
    assert played.report.failure is None
    assert played.report.result.status == "success"
    assert told_of(played.requests[0])[-1] == "s:<<works>>"
    assert outcomes(played) == [("hangs", "failed", error), ("works", "completed", None)]
    assert len([one for one in caplog.records if "'hangs'" in one.getMessage()]) == 1


def test_one_that_failed_is_not_asked_again_in_the_same_execution(tmp_path: Path) -> None:
    code = """
    @extension("prompt.segment@1", id="raises")
    def raises(query: PromptQuery) -> list[PromptSegment]:
        raise RuntimeError("broken")
    """
    write_extensions(tmp_path, "hints", [(SEGMENT, "raises")], code)
    played = asked(tmp_path, "hints", tools={"builtin": ["runtime-done"]})
    assert len(calls_of(played)) == 1
    # A later execution asks it again.
    again = play(
        tmp_path, "teller", say("Done."), session_id=played.report.session_id, message="Again."
    )
    assert len(calls_of(again)) == 1


def test_segments_are_never_filled_in_and_a_query_is_a_copy(tmp_path: Path) -> None:
    code = """
    @extension("prompt.segment@1", id="a")
    async def a(query: dict[str, object]) -> list[PromptSegment]:
        query["playerMessage"] = "changed"
        query.clear()
        text = "{{ player.message }} {{player.message}} </runtime-inputs>"
        return [PromptSegment(id="a", content=text, position="system", volatility="stable")]

    @extension("prompt.segment@1", id="b")
    async def b(query: PromptQuery) -> list[PromptSegment]:
        return [PromptSegment(id="b", content=query.player_message, position="post-history")]
    """
    write_extensions(tmp_path, "hints", [(SEGMENT, "a"), (SEGMENT, "b")], code)
    [request] = asked(tmp_path, "hints", message="{{ session.id }}").requests
    assert "{{ player.message }} {{player.message}} </runtime-inputs>" in system_of(request)
    assert told_of(request)[-2:] == ["u:{{ session.id }}", "s:{{ session.id }}"]


def test_only_packages_of_the_session_are_asked(tmp_path: Path) -> None:
    code = """
    @extension("prompt.segment@1", id="a")
    async def a(query: PromptQuery) -> list[PromptSegment]:
        return [PromptSegment(id="a", content="<<a>>", position="system")]
    """
    write_extensions(tmp_path, "hints", [(SEGMENT, "a")], code)
    played = asked(tmp_path)
    assert calls_of(played) == []
    assert "<<a>>" not in "".join(told_of(played.requests[0]))


def test_an_extension_reads_its_own_data_as_the_execution_has_it_and_rests_on_nothing(
    tmp_path: Path,
) -> None:
    code = """
    @extension("prompt.segment@1", id="a")
    async def a(ctx: ExtensionContext, query: PromptQuery) -> list[PromptSegment]:
        found = await ctx.plugin_data.get("notes", "k")
        listed = await ctx.plugin_data.list("notes")
        hidden = await ctx.plugin_data.get("_hidden.notes", "k")
        names = [one["name"] for one in ctx.world.characters]
        text = f"{found} {len(listed)} {hidden} {names} {ctx.locale} {ctx.turn_id is not None}"
        return [PromptSegment(id="a", content=text, position="post-history")]
    """
    write_extensions(tmp_path, "hints", [(SEGMENT, "a")], code)
    played = asked(tmp_path, "hints")
    assert outcomes(played) == [("a", "completed", None)]
    assert told_of(played.requests[0])[-1] == "s:None 0 None [] en True"
    assert played.report.result.reads is not None
    assert list(played.report.result.reads.reads) == []


def test_transforms_change_what_is_read_one_after_the_other_and_never_what_is_stored(
    tmp_path: Path,
) -> None:
    code = """
    @extension("prompt.history-transform@1", id="loud")
    async def loud(query: HistoryQuery) -> HistoryTransform:
        told = [one.model_copy(update={"content": one.content + "!", "role": "system",
                "turn_id": "forged"}) for one in query.messages]
        return HistoryTransform(messages=told)

    @extension("prompt.history-transform@1", id="short")
    async def short(query: HistoryQuery) -> HistoryTransform:
        assert all(one.content.endswith("!") for one in query.messages)
        assert query.messages[0].turn_id == "turn-0"
        return HistoryTransform(messages=query.messages[1:])
    """
    write_extensions(tmp_path, "hints", [(TRANSFORM, "loud"), (TRANSFORM, "short", 1)], code)
    write_package(tmp_path / "plugins" / "teller")

    async def main() -> Played:
        async with opened(tmp_path, say("Done.")) as host:
            session_id = await host.open_session(["teller", "hints"])
            fill_journal(host, session_id, 2)
            return await played_on(
                host, ManualRequest(target="teller", session_id=session_id, message="Hi.")
            )

    played = asyncio.run(main())
    assert told_of(played.requests[0]) == [
        "a:assistant Words 0.!",
        "u:user Words 1.!",
        "a:assistant Words 1.!",
        "u:Hi.",
    ]
    assert played.rows.messages[0].content == "user Words 0."
    assert [name for name, _, _ in outcomes(played)] == ["loud", "short"]


@pytest.mark.parametrize(
    "answer",
    [
        "query.messages[::-1]",
        "query.messages * 2",
        "[query.messages[0].model_copy(update={'id': 'other'})]",
        "[{'id': 1}]",
        "None",
    ],
)
def test_a_transform_cannot_add_or_reorder(tmp_path: Path, answer: str) -> None:
    code = f"""
    @extension("prompt.history-transform@1", id="forge")
    async def forge(query: HistoryQuery):
        return {{"messages": {answer}}}
    """
    write_extensions(tmp_path, "hints", [(TRANSFORM, "forge")], code)
    write_package(tmp_path / "plugins" / "teller")

    async def main() -> Played:
        async with opened(tmp_path, say("Done.")) as host:
            session_id = await host.open_session(["teller", "hints"])
            fill_journal(host, session_id, 2)
            return await played_on(
                host, ManualRequest(target="teller", session_id=session_id, message="Hi.")
            )

    played = asyncio.run(main())
    assert outcomes(played) == [("forge", "failed", "internal")]
    assert len(told_of(played.requests[0])) == 5


def test_a_package_may_say_what_the_world_is(tmp_path: Path) -> None:
    code = """
    @extension("session.world-context@1", id="w")
    async def w(query: WorldContextQuery) -> WorldContext:
        return WorldContext(dimensions={"tide": {"name": "Tide {{ session.id }}", "value": 3}})
    """
    write_extensions(tmp_path, "tides", [(WORLD, "w")], code)
    body = "Tide: {{ world.dimensions.tide.value }} {{ world.dimensions.tide.name }}"
    write_package(tmp_path / "plugins" / "teller", body=body)
    played = play(tmp_path, "teller", say("Done."), packages=("tides",), message="Hi.")
    assert "Tide: 3 Tide {{ session.id }}" in system_of(played.requests[0])
    assert outcomes(played) == [("w", "completed", None)]


def test_nobody_is_asked_about_the_world_by_a_body_that_does_not_name_it(tmp_path: Path) -> None:
    code = """
    @extension("session.world-context@1", id="w")
    async def w(query: WorldContextQuery) -> WorldContext:
        return WorldContext(
            dimension_recovery=DimensionRecovery(editor_runtime_id="x", tracker_runtime_id="y"))
    """
    write_extensions(tmp_path, "tides", [(WORLD, "w")], code)
    assert calls_of(asked(tmp_path, "tides")) == []
    write_package(tmp_path / "plugins" / "teller", body="{{ world.name }}")
    played = play(tmp_path, "teller", say("Done."), packages=("tides",), message="Hi.")
    # The runtimes it names are not its own.
    assert outcomes(played) == [("w", "failed", "internal")]


def test_a_cancelled_execution_takes_its_extensions_along(tmp_path: Path) -> None:
    code = """
    import pathlib
    AT = pathlib.Path(__file__).parent

    @extension("prompt.segment@1", id="a")
    async def a(ctx: ExtensionContext, query: PromptQuery) -> list[PromptSegment]:
        (AT / "began").touch()
        try:
            await asyncio.Event().wait()
        finally:
            (AT / "ended").touch()
    """
    write_extensions(tmp_path, "hints", [(SEGMENT, "a")], code)
    write_package(tmp_path / "plugins" / "teller")
    at = tmp_path / "plugins" / "hints" / "server"

    async def main() -> None:
        async with opened(tmp_path) as host:
            request = ManualRequest(target="teller", message="Hi.", packages=("hints",))
            run = asyncio.ensure_future(host.run(request))
            while not (at / "began").exists():
                await asyncio.sleep(0)
            run.cancel()
            with pytest.raises(asyncio.CancelledError):
                await run
            await asyncio.sleep(0)
            assert (at / "ended").exists()
            assert host.ports.tasks.pending == ()

    asyncio.run(main())


def test_what_hangs_in_a_thread_is_left_and_its_context_is_dead(tmp_path: Path) -> None:
    code = """
    import pathlib, threading
    AT = pathlib.Path(__file__).parent
    GO = threading.Event()

    @extension("prompt.segment@1", id="a")
    def a(ctx: ExtensionContext, query: PromptQuery) -> list[PromptSegment]:
        GO.wait(20)
        try:
            asyncio.run(ctx.plugin_data.get("notes", "k"))
        except ToolError as error:
            (AT / "error").write_text(f"{error.code} {ctx.signal.cancelled}")
        return []

    @extension("prompt.history-transform@1", id="go")
    def go(query: HistoryQuery) -> HistoryTransform:
        GO.set()
        return HistoryTransform(messages=query.messages)
    """
    write_extensions(tmp_path, "hints", [(SEGMENT, "a"), (TRANSFORM, "go")], code)
    write_package(tmp_path / "plugins" / "teller")
    error = tmp_path / "plugins" / "hints" / "server" / "error"

    async def main() -> None:
        async with opened(tmp_path, say("Done."), say("Done.")) as host:
            request = ManualRequest(target="teller", message="Hi.", packages=("hints",))
            first = await played_on(host, request)
            assert outcomes(first) == [("a", "failed", "timeout")]
            assert host.ports.tasks.pending != ()
            # The journal has a message by now, so the other one is asked and sets the first free.
            session = ManualRequest(
                target="teller", message="Hi.", session_id=first.report.session_id
            )
            await played_on(host, session)
            while host.ports.tasks.pending:
                await asyncio.sleep(0)

    asyncio.run(main())
    assert error.read_text() == "unavailable True"


def test_an_extension_may_read_services_and_write_through_none(tmp_path: Path) -> None:
    write_provider(tmp_path)
    code = """
    @extension("prompt.segment@1", id="a")
    async def a(ctx: ExtensionContext, query: PromptQuery) -> list[PromptSegment]:
        [items] = await ctx.services.discover("stock.items@1")
        [take] = await ctx.services.discover("stock.take@1")
        listed = await ctx.services.call(items, {})
        try:
            await ctx.services.call(take, {"name": "rope", "count": -1})
        except ToolError as error:
            text = f"{listed} {error.code}"
            return [PromptSegment(id="a", content=text, position="post-history")]
        return []
    """
    write_extensions(tmp_path, "hints", [(SEGMENT, "a")], code)
    played = asked(tmp_path, "hints", "stock")
    assert told_of(played.requests[0])[-1] == "s:[] unavailable"


def test_agents_of_one_layer_lose_the_time_of_a_hanging_extension_once(tmp_path: Path) -> None:
    stage = {"schedule": {"stage": "pre-turn", "trigger": {"type": "auto"}}}
    later = {"schedule": {"stage": "post-turn", "trigger": {"type": "auto"}}}
    names = [f"a{number}" for number in range(8)]
    runtimes = {**dict.fromkeys(names, stage), "late": later}
    write_agents(tmp_path, "crowd", runtimes)
    write_extensions(tmp_path, "hints", [(SEGMENT, "hangs")], HANGS)

    async def main() -> list[Any]:
        async with opened(tmp_path, *[say("Done.")] * 9) as host:
            session_id = await host.open_session(["crowd", "hints"])
            observer = Recorder()
            report = await host.play(
                TurnRequest(session_id=session_id, message="Hi."), observer=observer
            )
            assert report.committed
            events = [one for one in observer.trace if one.type == "plugin.service.completed"]
            return [one.data["durationMs"] for one in events]

    durations = asyncio.run(main())
    # The runtime of the later stage does not ask it any more.
    assert len(durations) == 8
    assert all(400 <= one < 5_000 for one in durations)
