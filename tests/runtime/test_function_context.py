"""What a handler's context gives: data, inputs, texts, chance, and what is not served."""

import asyncio
import inspect
from datetime import UTC, datetime
from typing import Any

import pytest

from covel_host.runtime.prompt_inputs import (
    BoundValue,
    EventActivation,
    InputBinding,
    ManualActivation,
)
from plugin_sdk.errors import ToolError
from plugin_sdk.records import PlayerInput
from plugin_sdk.rules.i18n import label_text, translate
from tests.runtime.conftest import BenchMaker

INPUT = PlayerInput(
    id="i1",
    session_id="s1",
    turn_id="t1",
    form_id="sheet",
    values={"name": "Alex"},
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
)


async def code_of(use: Any) -> str:
    try:
        found = use()
        if inspect.isawaitable(found):
            await found
    except ToolError as error:
        return error.code
    return "served"


# --- plugin data -----------------------------------------------------------------------------


def test_data_is_read_as_it_was_staged(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        data = ctx.plugin_data
        await data.set("notes", "b", {"n": 1})
        await data.set("notes", "a", 2)
        changed = await data.update("notes", "b", [{"op": "increment", "path": "/n", "by": 4}])
        changed["n"] = 99
        await data.delete("notes", "a")
        await data.set("notes", "c", 3)
        await data.set("notes", "c", None)
        return [
            await data.get("notes", "b"),
            await data.get("notes", "a"),
            [(item.key, item.value) for item in await data.list("notes")],
            await ctx.store.get_plugin_data("notes", "b"),
            len(await ctx.store.list_plugin_data("notes")),
        ]

    result = bench().play(handler=handle)
    assert result.value == [{"n": 5}, None, [["b", {"n": 5}]], {"n": 5}, 1]
    assert [proposal.type for proposal in result.proposals] == [
        "plugin.data",
        "plugin.data",
        "plugin.data.update",
        "plugin.data.delete",
        "plugin.data",
        "plugin.data.delete",
    ]


@pytest.mark.parametrize(
    ("op", "code"),
    [
        ({"op": "jump"}, "invalid-input"),
        ({"op": "put", "path": "n", "value": 1}, "invalid-input"),
        ({"op": "put", "path": "/x/y", "value": 1}, "conflict"),
        ({"op": "increment", "path": "/text", "by": 1}, "conflict"),
        ({"op": "increment", "path": "/n", "by": 1, "max": 1}, "conflict"),
        ({"op": "insert", "path": "/list", "index": 9, "value": 1}, "conflict"),
        ({"op": "append", "path": "/list", "value": 1, "unique": True}, "conflict"),
    ],
)
def test_an_operation_that_fails_changes_nothing_and_may_be_caught(
    bench: BenchMaker, op: Any, code: str
) -> None:
    async def handle(ctx: Any) -> object:
        record = {"n": 1, "text": "x", "list": [1]}
        await ctx.plugin_data.set("notes", "a", record)
        told = await code_of(lambda: ctx.plugin_data.update("notes", "a", [op]))
        return [told, await ctx.plugin_data.get("notes", "a") == record]

    result = bench().play(handler=handle)
    assert (result.status, result.value) == ("success", [code, True])
    assert len(result.proposals) == 1


@pytest.mark.parametrize(
    ("namespace", "value", "code"),
    [
        ("_logs", 1, "refused"),
        ("_hidden.other", 1, "refused"),
        ("notes", "x" * 300_000, "invalid-input"),
        ("notes", object(), "invalid-input"),
        ("", 1, "invalid-input"),
        (7, 1, "invalid-input"),
    ],
)
def test_a_write_that_is_refused_says_why(
    bench: BenchMaker, namespace: Any, value: Any, code: str
) -> None:
    async def handle(ctx: Any) -> object:
        return await code_of(lambda: ctx.plugin_data.set(namespace, "a", value))

    result = bench().play(handler=handle, data_namespaces=frozenset({"notes"}))
    assert (result.value, result.proposals) == (code, ())


def test_hidden_data_of_declared_namespaces_is_the_handlers_own(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        await ctx.plugin_data.set("_hidden.notes", "a", 1)
        return [
            await ctx.plugin_data.get("_hidden.notes", "a"),
            await ctx.store.get_plugin_data("_hidden.notes", "a"),
            [item.key for item in await ctx.plugin_data.list("_hidden.notes")],
        ]

    result = bench().play(handler=handle, data_namespaces=frozenset({"notes"}))
    assert result.value == [1, 1, ["a"]]
    assert len(result.proposals) == 1


def test_parallel_updates_of_one_record_are_all_counted(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        await ctx.plugin_data.set("notes", "a", {"n": 0})
        step = [{"op": "increment", "path": "/n", "by": 1}]
        await asyncio.gather(*(ctx.plugin_data.update("notes", "a", step) for _ in range(20)))
        return await ctx.plugin_data.get("notes", "a")

    assert bench().play(handler=handle).value == {"n": 20}


# --- what a run knows ------------------------------------------------------------------------


def test_a_context_knows_its_run(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        last = ctx.session.last_player_input
        session = await ctx.store.get_session()
        return {
            "ids": [ctx.plugin_id, ctx.runtime_id, ctx.session_id, ctx.turn_id, session.id],
            "turns": [ctx.logical_turn, ctx.turn_number],
            "said": ctx.player_message,
            "last": None if last is None else last.values,
            "settings": ctx.user_settings,
            "resume": [ctx.resume_data, ctx.resumed_from_suspension_id],
            "signal": ctx.signal.cancelled,
            "year": ctx.clock.now().year > 2000,
            "locale": ctx.locale,
        }

    result = bench().play(
        handler=handle,
        logical_turn=8,
        turn_number=3,
        player_message="Go on.",
        last_player_input=INPUT,
        user_settings={"mood": "calm"},
    )
    assert result.value == {
        "ids": ["demo", "demo", "s1", "turn-1", "s1"],
        "turns": [8, 3],
        "said": "Go on.",
        "last": {"name": "Alex"},
        "settings": {"mood": "calm"},
        "resume": [None, None],
        "signal": False,
        "year": True,
        "locale": "en",
    }


def test_a_run_without_a_player_knows_none(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        return [ctx.player_message, ctx.session.last_player_input, ctx.trigger_event]

    assert bench().play(handler=handle).value == ["", None, None]


def test_activation_is_payload_or_event(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        event = ctx.trigger_event
        return [ctx.manual_payload, None if event is None else [event.topic, event.data]]

    made = bench()
    manual = made.play(handler=handle, activation=ManualActivation({"dice": 2}))
    assert manual.value == [{"dice": 2}, None]


def test_an_event_is_no_payload(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        event = ctx.trigger_event
        return [ctx.manual_payload, event.topic, event.data]

    started = EventActivation("check.resolved", {"dc": 12})
    result = bench().play(handler=handle, activation=started)
    assert result.value == [None, "check.resolved", {"dc": 12}]


def test_inputs_and_exports_are_bound_by_slot_and_copied(bench: BenchMaker) -> None:
    given: Any = {"total": 5}
    one = InputBinding((BoundValue(given, "dice/roll"),))
    many = InputBinding((BoundValue(1, "a/x"), BoundValue(2, "b/y")), is_list=True)

    async def handle(ctx: Any) -> object:
        seen = [ctx.inputs, ctx.exports]
        ctx.inputs["roll"]["value"]["total"] = 99
        return [*seen, ctx.inputs["roll"]["value"]]

    result = bench().play(handler=handle, inputs={"roll": one}, exports={"all": many})
    assert result.value == [
        {"roll": {"cardinality": "one", "value": {"total": 5}, "source": "dice/roll"}},
        {
            "all": {
                "cardinality": "all",
                "items": [{"value": 1, "source": "a/x"}, {"value": 2, "source": "b/y"}],
            }
        },
        {"total": 5},
    ]
    assert given == {"total": 5}


def test_texts_are_those_of_the_sessions_language(bench: BenchMaker) -> None:
    texts = {"zh": {"Hello": "你好"}, "de": {"Hello": "Hallo"}}

    async def handle(ctx: Any) -> object:
        return [translate(ctx, "Hello"), label_text(ctx, "Hello"), ctx.messages]

    result = bench().play(handler=handle, locale="zh-CN", translations=texts)
    assert result.value == [
        "你好",
        {"en": "Hello", "zh": "你好", "de": "Hallo"},
        {"Hello": "你好"},
    ]


def test_a_language_the_package_lacks_has_no_texts(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        return ctx.messages

    assert bench().play(handler=handle, locale="fr", translations={"zh": {"A": "B"}}).value == {}


def test_chance_depends_on_the_execution_alone(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        assert ctx.random is ctx.random
        return [ctx.random.randint(1, 1_000_000) for _ in range(3)]

    made = bench()
    assert made.play(handler=handle).value == made.play(handler=handle).value


def test_the_world_is_there_for_the_time_of_the_run(bench: BenchMaker) -> None:
    kept: list[Any] = []

    async def handle(ctx: Any) -> object:
        kept.append(ctx.world)
        return [list(ctx.world.characters), ctx.world.world_record, ctx.world is ctx.world]

    async def main() -> list[Any]:
        result = await made.made(handler=handle).result()
        return [result.value, await code_of(lambda: kept[0].characters)]

    made = bench()
    assert asyncio.run(main()) == [[[], None, True], "unavailable"]


def test_what_is_not_served_answers_unavailable(bench: BenchMaker) -> None:
    uses: dict[str, Any] = {
        "agents": lambda ctx: ctx.agents.run(contract="a@1", brief="b"),
        "images": lambda ctx: ctx.images,
        "speech": lambda ctx: ctx.speech,
        "music": lambda ctx: ctx.music,
        "http": lambda ctx: ctx.http.fetch_with_retry("https://example.org"),
        "recursive_call": lambda ctx: ctx.recursive_call("demo/other"),
        "ingest_url": lambda ctx: ctx.media.ingest_url("https://example.org/x.png"),
    }

    async def handle(ctx: Any) -> object:
        async def told(use: Any) -> str:
            return await code_of(lambda: use(ctx))

        return {name: await told(use) for name, use in uses.items()}

    assert bench().play(handler=handle).value == dict.fromkeys(uses, "unavailable")


def test_a_context_ends_with_its_run(bench: BenchMaker) -> None:
    kept: list[Any] = []

    async def handle(ctx: Any) -> object:
        kept.append(ctx)
        return None

    async def main() -> list[str]:
        result = await made.made(handler=handle).result()
        assert result.status == "success"
        ctx = kept[0]
        return [
            await code_of(use)
            for use in (
                lambda: ctx.plugin_data.get("notes", "a"),
                lambda: ctx.plugin_data.set("notes", "a", 1),
                lambda: ctx.store.list_turn_messages(),
                lambda: ctx.store.get_session(),
                lambda: ctx.gateway.generate_text("Hi"),
                lambda: ctx.gateway.resolve_slot("story"),
                lambda: ctx.media.put(b"x", mime="image/png"),
                lambda: ctx.world.characters,
            )
        ]

    made = bench()
    assert asyncio.run(main()) == ["unavailable"] * 8
