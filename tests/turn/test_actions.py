"""RPC actions through the host: admission, immediate writes, answers, failures, audit."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from covel_host.catalog.trust import TrustPolicy
from covel_host.store.check import check_database
from covel_host.turn import action_call
from covel_host.turn.errors import RequestRefused
from tests.support.actions import Table, at_table, write_satchel

CODE = """
class Put(BaseModel):
    item: str
    count: int = 1

class Bag(BaseModel):
    items: dict[str, int]

@action("put-item")
async def put_item(ctx: ActionContext, payload: Put) -> Bag:
    '''Put something into the satchel.'''
    old = await ctx.store.get_plugin_data("notes", payload.item)
    await ctx.store.set_plugin_data("notes", payload.item, (old or 0) + payload.count)
    items = await ctx.store.list_plugin_data("notes")
    return Bag(items={item.key: item.value for item in items})

@action("empty")
async def empty(ctx: ActionContext) -> object:
    for item in await ctx.store.list_plugin_data("notes"):
        await ctx.store.set_plugin_data("notes", item.key, None)

@action("half")
async def half(ctx: ActionContext) -> object:
    await ctx.store.set_plugin_data("notes", "first", 1)
    raise ValueError("broken bottle\\nwith a second line")

@action("refuse")
async def refuse(ctx: ActionContext) -> object:
    raise ToolError("conflict", "The satchel is full.", hint="Empty it first.")

@action("plain")
def plain(ctx: ActionContext, payload: dict[str, object]) -> object:
    return asyncio.run(remembered(ctx, payload))

async def remembered(ctx, payload):
    await ctx.store.set_plugin_data("notes", "plain", payload)
    return ctx.random.randint(1, 10**9)

@action("facts")
async def facts(ctx: ActionContext) -> object:
    session = await ctx.store.get_session()
    return {
        "plugin": ctx.plugin_id, "session": ctx.session_id, "action": ctx.action,
        "runtime": ctx.runtime_id, "locale": ctx.locale, "hello": ctx.messages.get("Hello"),
        "all": {name: dict(texts) for name, texts in ctx.translations.items()},
        "command": ctx.command, "environment": dict(ctx.environment),
        "year": ctx.clock.now().year > 2000, "cancelled": ctx.signal.cancelled,
        "phase": session.phase, "messages": await ctx.store.list_turn_messages(),
        "page": (await ctx.store.read_turn_messages()).has_more,
        "inputs": await ctx.store.list_player_inputs(),
    }

@action("write")
async def write(ctx: ActionContext, payload: dict[str, object]) -> object:
    codes = []
    for namespace, key, value in payload["writes"]:
        try:
            await ctx.store.set_plugin_data(namespace, key, value)
            codes.append("ok")
        except ToolError as error:
            codes.append(error.code)
    return codes

@action("tell")
async def tell(ctx: ActionContext, payload: dict[str, object]) -> object:
    await ctx.emit(Event(payload["topic"], payload["data"]))

@action("roll")
async def roll(ctx: ActionContext) -> int:
    return ctx.random.randint(1, 10**9)

@action("wrong-shape")
async def wrong_shape(ctx: ActionContext) -> int:
    return "seven"

@action("slow")
async def slow(ctx: ActionContext) -> object:
    await ctx.store.set_plugin_data("notes", "before", 1)
    kept.append(ctx)
    try:
        await asyncio.sleep(3600)
    finally:
        try:
            await ctx.store.set_plugin_data("notes", "after", 1)
        except ToolError as error:
            kept.append(error.code)

@action("unawaited")
async def unawaited(ctx: ActionContext) -> object:
    kept.append(asyncio.ensure_future(ctx.store.set_plugin_data("notes", "late", 1)))
    await asyncio.sleep(0)
    return len(kept)

@action("leave")
async def leave(ctx: ActionContext) -> object:
    import sys
    sys.exit(3)

@action("secret")
async def secret(ctx: ActionContext, payload: dict[str, object]) -> object:
    return {"apiKey": payload["apiKey"]}

kept = []
"""

ACTIONS = [
    "put-item", "empty", "half", "refuse", "plain", "facts", "write", "tell", "roll",
    "wrong-shape", "slow", "unawaited", "leave", "secret",
]  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_satchel(
        tmp_path,
        CODE,
        contributes={
            "actions": ACTIONS,
            "datasets": {
                "tools": {"schema": "./tool.json", "ops": ["set", "put"]},
                "logs": {"schema": "./tool.json", "ops": ["append"]},
            },
            "events": [
                {"topic": "satchel.found", "schema": "./found.json", "description": "Found."}
            ],
        },
        files={
            "tool.json": '{"type": "object", "required": ["name"]}',
            "found.json": '{"type": "object", "required": ["item"]}',
            "locales/de.yaml": "messages:\n  Hello: Hallo\n",
        },
        runtime={"schedule": {"trigger": {"type": "manual"}}},
    )
    return tmp_path


def kept_of(table: Table) -> list[Any]:
    generation = table.host.catalog.packages["satchel"].generation
    assert generation is not None
    kept: list[Any] = generation.actions["slow"].function.__globals__["kept"]
    return kept


# --- what an action does -----------------------------------------------------------------------


def test_each_write_is_a_revision_of_its_own_and_told_at_once(home: Path) -> None:
    async def body(table: Table) -> None:
        first = await table.act("put-item", {"item": "lamp"})
        second = await table.act("put-item", {"item": "lamp", "count": 2})
        assert first.failure is None, first.failure
        assert (first.result, first.writes, first.revision) == ({"items": {"lamp": 1}}, 1, 1)
        assert (second.result, second.revision) == ({"items": {"lamp": 3}}, 2)
        assert table.session.revision == 2
        assert table.session.completed_player_turns == 0
        assert table.observer.types == ["plugin-data.changed"] * 2
        assert table.observer.events[1].payload == {
            "pluginId": "satchel",
            "changes": [{"namespace": "notes", "key": "lamp", "value": 3, "operation": "set"}],
        }
        cleared = await table.act("empty")
        assert (cleared.result, table.data()) == (None, {})

    at_table(home, body)


def test_what_was_written_before_a_failure_stays(home: Path) -> None:
    async def body(table: Table) -> None:
        report = await table.act("half")
        assert report.failure is not None
        assert (report.failure.code, report.writes, table.data()) == ("internal", 1, {"first": 1})
        assert report.failure.message == (
            "The action 'half' of 'satchel' failed: ValueError: broken bottle"
        )
        assert report.failure.hint is not None
        assert report.failure.hint.startswith("Raised at server/index.py:")

    at_table(home, body)


def test_a_tool_error_keeps_its_code_text_and_hint(home: Path) -> None:
    report = at_table(home, lambda table: table.act("refuse"))
    assert report.failure is not None
    told = (report.failure.code, report.failure.message, report.failure.hint)
    assert told == ("conflict", "The satchel is full.", "Empty it first.")


def test_a_plain_function_may_await_the_store_on_a_loop_of_its_own(home: Path) -> None:
    async def body(table: Table) -> None:
        report = await table.act("plain", {"a": [1]})
        assert report.failure is None, report.failure
        assert table.data() == {"plain": {"a": [1]}}

    at_table(home, body)


def test_the_context_knows_session_language_and_itself(home: Path) -> None:
    report = at_table(
        home,
        lambda table: table.act("facts", runtime_id="satchel"),
        session={"locale": "de-AT"},
    )
    assert report.result == {
        "plugin": "satchel", "session": "session-1", "action": "facts", "runtime": "satchel",
        "locale": "de-AT", "hello": "Hallo", "all": {"de": {"Hello": "Hallo"}},
        "command": None, "environment": {}, "year": True, "cancelled": False,
        "phase": "playing", "messages": [], "page": False, "inputs": [],
    }  # fmt: skip


def test_a_seed_replays_rolls_and_two_calls_never_share_a_stream(tmp_path: Path) -> None:
    async def body(table: Table) -> list[Any]:
        return [(await table.act("roll")).result for _ in range(2)]

    seen = []
    for name in ("one", "two"):
        write_satchel(tmp_path / name, CODE, contributes={"actions": ACTIONS})
        seen.append(at_table(tmp_path / name, body, environ={"COVEL_RANDOM_SEED": "7"}))
    assert seen[0] == seen[1]
    assert seen[0][0] != seen[0][1]


# --- rules of writes ---------------------------------------------------------------------------


def test_writes_obey_namespaces_sizes_and_data_sets(home: Path) -> None:
    writes = [
        ["notes", "a", 1],
        ["_logs", "a", 1],
        ["_hidden.notes", "a", 1],
        ["tools", "saw", {"name": "saw"}],
        ["tools", "saw", {"label": "none"}],
        ["tools", "saw", None],
        ["logs", "x", {"name": "x"}],
        ["notes", "big", "x" * 262_144],
        ["notes", "picture", {"id": "0" * 64, "mime": "image/png"}],
    ]

    async def body(table: Table) -> None:
        report = await table.act("write", {"writes": writes})
        assert report.result == [
            "ok", "refused", "refused", "ok", "invalid-input", "invalid-input", "invalid-input",
            "invalid-input", "invalid-input",
        ]  # fmt: skip
        assert (report.writes, table.session.revision) == (2, 2)
        assert table.data("tools") == {"saw": {"name": "saw"}}
        assert table.data() == {"a": 1}

    at_table(home, body)


def test_own_events_are_committed_at_once_and_others_refused(home: Path) -> None:
    async def body(table: Table) -> None:
        told = await table.act("tell", {"topic": "satchel.found", "data": {"item": "key"}})
        assert (told.failure, told.writes) == (None, 1)
        assert table.emitted() == [("satchel.found", {"item": "key"})]
        assert table.observer.types == ["event.emitted"]
        for payload in (
            {"topic": "satchel.fund", "data": {"item": "key"}},
            {"topic": "satchel.found", "data": {}},
        ):
            refused = await table.act("tell", payload)
            assert refused.failure is not None
            assert refused.failure.code == "invalid-input"
        assert len(table.emitted()) == 1

    at_table(home, body)


def test_superseded_records_that_no_snapshot_keeps_are_not_kept(home: Path) -> None:
    async def body(table: Table) -> None:
        for _ in range(5):
            await table.act("put-item", {"item": "lamp"})
        rows = table.host.ports.store.read_now(
            lambda reading: reading._driver.execute("SELECT * FROM plugin_data_old").fetchall()
        )
        assert rows == []
        assert check_database(table.host.settings.database).findings == ()

    at_table(home, body)


# --- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"action": "put-itme"}, "unknown-action"),
        ({"action": "covel:plugin-server-code"}, "action-reserved"),
        ({"action": "runtime:satchel"}, "action-reserved"),
        ({"action": "put-item", "payload": {}}, "payload-invalid"),
        ({"action": "put-item", "payload": {"item": "x", "count": "2"}}, "payload-invalid"),
        ({"action": "put-item", "payload": {"item": "\ud800"}}, "payload-invalid"),
        ({"action": "roll", "plugin_id": "pouch"}, "plugin-not-active"),
        ({"action": "roll", "runtime_id": "satchel/none"}, "runtime-not-found"),
    ],
)
def test_what_cannot_run_is_refused_and_leaves_nothing(
    home: Path, request_: dict[str, Any], code: str
) -> None:
    async def body(table: Table) -> None:
        with pytest.raises(RequestRefused) as refused:
            await table.act(**request_)
        assert refused.value.code == code
        assert (table.audit(), table.session.revision) == ([], 0)

    at_table(home, body)


def test_the_nearest_action_and_every_wrong_field_are_named(home: Path) -> None:
    async def body(table: Table) -> None:
        with pytest.raises(RequestRefused) as refused:
            await table.act("put-itme")
        assert refused.value.hint == "Did you mean 'put-item'?"
        with pytest.raises(RequestRefused, match=r"(?s)item: .*count: "):
            await table.act("put-item", {"count": "2"})
        with pytest.raises(RequestRefused, match="required; 'itme' is not known here"):
            await table.act("put-item", {"itme": "lamp"})

    at_table(home, body)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"status": "paused"}, "session-not-active"),
        ({"session_id": "other"}, "session-not-found"),
    ],
)
def test_the_session_has_to_be_there_and_active(
    home: Path, change: dict[str, Any], code: str
) -> None:
    async def body(table: Table) -> None:
        table.session_id = "session-1"
        with pytest.raises(RequestRefused) as refused:
            await table.act("roll")
        assert refused.value.code == code

    at_table(home, body, session=change)


def test_a_package_that_nobody_trusts_asks_for_leave(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TrustPolicy, "grant", lambda *arguments, **keywords: None)

    async def body(table: Table) -> None:
        with pytest.raises(RequestRefused) as refused:
            await table.act("roll")
        assert refused.value.code == "approval-required"

    at_table(home, body)


# --- ends --------------------------------------------------------------------------------------


def test_an_answer_that_does_not_fit_its_annotation_is_a_failure(home: Path) -> None:
    report = at_table(home, lambda table: table.act("wrong-shape"))
    assert report.failure is not None
    assert report.failure.code == "internal"
    assert "returned what does not fit its shape" in report.failure.message


def test_sys_exit_ends_the_action_and_nothing_else(home: Path) -> None:
    report = at_table(home, lambda table: table.act("leave"))
    assert report.failure is not None
    assert "sys.exit(3) was called" in report.failure.message


def test_an_action_past_its_limit_is_left_and_writes_no_more(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(action_call, "ACTION_LIMIT_S", 0.05)

    async def body(table: Table) -> None:
        report = await table.act("slow")
        assert report.failure is not None
        assert report.failure.code == "timeout"
        while len(kept_of(table)) < 2:
            await asyncio.sleep(0)
        context, code = kept_of(table)
        assert (code, context.signal.cancelled) == ("unavailable", True)
        assert table.data() == {"before": 1}
        # The session's lock is free again.
        assert (await table.act("put-item", {"item": "lamp"})).failure is None

    at_table(home, body)


def test_a_cancelled_call_keeps_its_writes_and_says_so_in_the_audit(home: Path) -> None:
    async def body(table: Table) -> None:
        task = asyncio.ensure_future(table.act("slow"))
        while not kept_of(table):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert [row.outcome for row in table.audit()] == ["cancelled"]
        assert table.data() == {"before": 1}

    at_table(home, body)


def test_closing_the_host_ends_an_action_that_goes_on(home: Path) -> None:
    async def body(table: Table) -> None:
        task = asyncio.ensure_future(table.act("slow"))
        while not kept_of(table):
            await asyncio.sleep(0)
        await table.host.close()
        report = await task
        assert report.failure is not None
        assert report.failure.code == "cancelled"
        with pytest.raises(RequestRefused) as refused:
            await table.act("roll")
        assert refused.value.code == "host-closed"

    at_table(home, body)


def test_a_write_that_was_not_awaited_ends_before_the_answer(home: Path) -> None:
    async def body(table: Table) -> None:
        report = await table.act("unawaited")
        assert report.failure is None, report.failure
        assert (report.writes, table.data()) == (1, {"late": 1})

    at_table(home, body)


# --- audit -------------------------------------------------------------------------------------


def test_every_call_is_remembered_with_what_came_of_it(home: Path) -> None:
    async def body(table: Table) -> None:
        await table.act("put-item", {"item": "lamp"}, runtime_id="satchel")
        await table.act("refuse", source="plugin-ui", channel="web")
        first, second = table.audit()
        assert (first.sequence, first.type, first.plugin_id, first.target) == (
            1,
            "rpc-call",
            "satchel",
            "put-item",
        )
        assert (first.source, first.channel, first.outcome) == ("player", "cli", "completed")
        assert first.payload == {"item": "lamp"}
        assert first.metadata == {"runtimeId": "satchel"}
        assert first.result == {"items": {"lamp": 1}}
        assert first.duration_ms is not None
        assert (second.source, second.channel, second.outcome) == ("plugin-ui", "web", "failed")
        assert second.error == {"code": "conflict", "message": "The satchel is full."}

    at_table(home, body)


def test_the_audit_keeps_no_credentials(home: Path) -> None:
    async def body(table: Table) -> None:
        report = await table.act("secret", {"apiKey": "sk-very-secret-indeed"})
        assert report.result == {"apiKey": "sk-very-secret-indeed"}
        (row,) = table.audit()
        assert (row.payload, row.result) == ({"apiKey": "[redacted]"}, {"apiKey": "[redacted]"})

    at_table(home, body)


KEEP = """
@action("keep")
async def keep(ctx: ActionContext, payload: dict[str, object]) -> object:
    try:
        await ctx.store.set_plugin_data(payload["ns"], payload["key"], payload["value"])
    except ToolError as error:
        return [error.code, error.message]
    return "kept"
"""


@pytest.mark.parametrize(
    ("namespace", "value", "told"),
    [
        ("loose", {"any": 1}, "kept"),
        ("loose", 7, "invalid-input"),
        ("loose", [1], "invalid-input"),
        ("strict", {"n": 1}, "kept"),
        ("strict", {"n": "1"}, "invalid-input"),
        ("grown", {"n": 1}, "invalid-input"),
        # A plain namespace is no data set: its schema is for what worlds bring and for authors.
        ("plain", 7, "kept"),
        ("undeclared", "text", "kept"),
    ],
)
def test_writes_keep_the_rules_of_the_own_data_sets(
    tmp_path: Path, namespace: str, value: Any, told: str
) -> None:
    number = '{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}'
    write_satchel(
        tmp_path,
        KEEP,
        contributes={
            "actions": ["keep"],
            "datasets": {
                "loose": {"schema": "./any.json", "ops": ["set"]},
                "strict": {"schema": "./number.json", "ops": ["set"]},
                "grown": {"schema": "./any.json", "ops": ["merge"]},
            },
            "data": {"plain": {"schema": "./number.json", "version": 1}},
        },
        files={"any.json": '{"type": "object"}', "number.json": number},
    )

    async def body(table: Table) -> Any:
        report = await table.act("keep", {"ns": namespace, "key": "k", "value": value})
        assert report.failure is None, report.failure
        assert table.data(namespace) == ({"k": value} if told == "kept" else {})
        return report.result if told == "kept" else report.result[0]  # type: ignore[index]

    assert at_table(tmp_path, body) == told
