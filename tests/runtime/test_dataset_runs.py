"""Data sets end to end: declared, offered, written in one turn, read in the next, refused."""

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from covel_host.host import Host
from covel_host.models.messages import DeltaSink, ModelReply, ModelRequest
from covel_host.store.plugin_data import DataKey, put_data
from covel_host.turn.admission import ManualRequest
from covel_host.turn.errors import RequestRefused
from tests.support.hosts import Played, opened, play, played_on
from tests.support.packages import write_package
from tests.support.replies import Reply, call, calls, done, say

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "count": {"type": "integer", "minimum": 0, "maximum": 9},
        "note": {"type": "string"},
    },
    "required": ["name"],
    "additionalProperties": False,
}
UPSERT = call("items-upsert", {"record": {"name": "Iron Lamp", "count": 2}})
ADD = call(
    "items-update", {"key": "Iron Lamp", "ops": [{"op": "increment", "path": "/count", "by": 1}]}
)


def package(home: Path, *, datasets: Sequence[Any] = ("items",), **rest: Any) -> str:
    declared = {"schema": "schemas/item.json", "key": "name", **rest.pop("declared", {})}
    chosen = {"datasets": list(datasets), **rest.pop("tools", {})}
    if not (agent := rest.pop("agent", {})):
        chosen["builtin"] = ["runtime-done"]
    return write_package(
        home / "plugins" / "demo",
        agent={"tools": chosen, **agent},
        datasets={"items": declared},
        files={"schemas/item.json": json.dumps(SCHEMA)},
        **rest,
    )


def offered(played: Played) -> list[str]:
    return [spec.name for spec in played.requests[0].tools]


def test_a_turn_reads_what_the_turn_before_it_wrote(tmp_path: Path) -> None:
    package(tmp_path)
    first = play(tmp_path, "demo", calls(UPSERT), done())
    assert first.report.committed
    assert first.rows.data == {("items", "iron lamp"): {"name": "Iron Lamp", "count": 2}}
    read = call("items-get", {"key": "IRON lamp"})
    second = play(
        tmp_path, "demo", calls(read), calls(ADD), done(), session_id=first.report.session_id
    )
    assert json.loads(second.envelopes[0]) == {
        "data": {"key": "iron lamp", "record": {"name": "Iron Lamp", "count": 2}}
    }
    assert second.rows.data == {("items", "iron lamp"): {"name": "Iron Lamp", "count": 3}}
    made = second.report.result.tool_calls
    assert [(each.request.name, each.source) for each in made[:2]] == [
        ("items-get", "dataset"),
        ("items-update", "dataset"),
    ]


def test_a_runtime_sees_only_the_tools_it_chose(tmp_path: Path) -> None:
    package(tmp_path, datasets=[{"dataset": "items", "tools": ["list", "get"]}])
    played = play(tmp_path, "demo", calls(UPSERT), done())
    assert offered(played) == ["items-get", "items-list", "runtime-done"]
    assert json.loads(played.envelopes[0])["error"]["code"] == "unavailable"
    package(tmp_path, datasets=[])
    assert offered(play(tmp_path, "demo", done())) == ["runtime-done"]


def test_a_story_may_write_records_which_go_with_its_prose(tmp_path: Path) -> None:
    package(tmp_path, io={"visibility": "story"})
    played = play(tmp_path, "demo", calls(UPSERT), say("The lamp is lit."))
    assert offered(played) == ["items-get", "items-list", "items-upsert", "items-update"]
    assert played.report.committed
    assert [message.content for message in played.rows.messages] == ["The lamp is lit."]
    assert list(played.rows.data) == [("items", "iron lamp")]


def overtaken(home: Path, *, first_end: Reply, last: ModelReply) -> Played:
    """A run whose record is changed by another writer after its call and before its commit."""
    first = play(home, "demo", calls(UPSERT), first_end)

    async def main() -> Played:
        async with opened(home, calls(ADD)) as host:

            async def last_reply(request: ModelRequest, on_delta: DeltaSink) -> ModelReply:
                await write(host, first.report.session_id, {"name": "Iron Lamp", "count": 9})
                return last

            host.ports.gateway._replies.append(last_reply)  # type: ignore[attr-defined]
            request = ManualRequest(target="demo", session_id=first.report.session_id)
            return await played_on(host, request)

    return asyncio.run(main())


def test_a_write_whose_base_changed_is_refused_at_commit(tmp_path: Path) -> None:
    package(tmp_path)
    played = overtaken(tmp_path, first_end=done(), last=done())
    assert not played.report.committed
    assert played.report.failure is not None
    assert played.report.failure.code == "dataset-policy"
    assert "count: 10 is greater than 9." in played.report.failure.message
    assert played.rows.data == {("items", "iron lamp"): {"name": "Iron Lamp", "count": 9}}


def test_a_story_whose_record_is_refused_at_commit_is_not_told(tmp_path: Path) -> None:
    package(tmp_path, io={"visibility": "story"})
    played = overtaken(tmp_path, first_end=say("One lamp."), last=say("Another lamp."))
    assert not played.report.committed
    assert [message.content for message in played.rows.messages] == ["One lamp."]


async def write(host: Host, session_id: str, record: Any) -> None:
    """What another writer commits meanwhile."""
    key = DataKey(session_id=session_id, plugin_id="demo", namespace="items", key="iron lamp")
    text = json.dumps(record)
    await host.ports.store.transaction(
        lambda transaction: put_data(
            transaction, key, value_text=text, revision=1, at=datetime.now(UTC)
        )
    )


def test_a_write_may_complete_the_run(tmp_path: Path) -> None:
    package(tmp_path, agent={"finishWith": "items-upsert"})
    played = play(tmp_path, "demo", calls(UPSERT))
    assert played.report.committed
    assert list(played.rows.data) == [("items", "iron lamp")]


RECORDS = """
@tool(name="keep")
async def keep(value: dict[str, object]) -> object:
    '''Keep a record.'''
    return with_pending_proposals(None, [PluginData(namespace="items", key="a", value=value)])

@tool(name="drop")
async def drop() -> object:
    '''Drop a record.'''
    return with_pending_proposals(None, [PluginDataDelete(namespace="items", key="a")])
"""


def test_tools_of_the_package_are_held_to_its_data_sets(tmp_path: Path) -> None:
    package(
        tmp_path,
        code=RECORDS,
        tools={"plugin": ["keep", "drop"]},
        declared={"ops": ["set", "increment"]},
    )
    manifest = tmp_path / "plugins" / "demo" / "PLUGIN.md"
    text = manifest.read_text(encoding="utf-8").replace("tools: []", "tools: [keep, drop]")
    manifest.write_text(text, encoding="utf-8")
    played = play(
        tmp_path,
        "demo",
        calls(call("keep", {"value": {"name": "a", "count": 99}})),
        calls(call("drop")),
        calls(call("keep", {"value": {"name": "a"}})),
        done(),
    )
    errors = [json.loads(text).get("error", {}) for text in played.envelopes[:3]]
    assert [error.get("code") for error in errors] == ["invalid-input", "invalid-input", None]
    assert "The record does not match the items dataset:" in errors[0]["message"]
    assert "does not allow the operation 'delete'" in errors[1]["message"]
    assert played.rows.data == {("items", "a"): {"name": "a"}}


MODEL = """
from typing import Annotated
from pydantic import BaseModel, Field

@dataset("items")
class Item(BaseModel):
    name: str
    count: Annotated[int, Field(ge=0)] = 0

@hookimpl
def register_datasets():
    return [Item]
"""


def test_a_record_model_takes_the_place_of_a_schema_file(tmp_path: Path) -> None:
    package(tmp_path, code=MODEL)
    manifest = tmp_path / "plugins" / "demo" / "PLUGIN.md"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace("      schema: schemas/item.json\n", ""), encoding="utf-8")
    wrong = call("items-upsert", {"record": {"name": "Iron Lamp", "count": -1}})
    played = play(tmp_path, "demo", calls(wrong), calls(UPSERT), done())
    assert json.loads(played.envelopes[0])["error"]["message"] == (
        "The record does not match the items dataset:\ncount: -1 is less than 0."
    )
    assert played.rows.data == {("items", "iron lamp"): {"name": "Iron Lamp", "count": 2}}


def test_the_offline_model_is_told_of_the_tools_that_need_no_record(tmp_path: Path) -> None:
    package(tmp_path)
    played = play(tmp_path, "demo", calls(call("items-list"), UPSERT), done())
    hint = played.requests[0].completion
    assert hint is not None
    assert hint.own_tools == ("items-list", "items-upsert")


FUNCTION = """---
description: Keeps items.
contributes:
  datasets:
    items: { schema: item.json, ops: [set, merge] }
runtime:
  schedule: { trigger: { type: manual } }
  function: { handler: server/handle.py }
---
"""


def function_package(home: Path, body: str) -> None:
    folder = home / "plugins" / "demo"
    (folder / "server").mkdir(parents=True)
    (folder / "PLUGIN.md").write_text(FUNCTION, encoding="utf-8")
    (folder / "item.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    code = f"async def handle(ctx):\n    {body}\n    return {{}}\n"
    (folder / "server" / "handle.py").write_text(code, encoding="utf-8")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("await ctx.plugin_data.set('items', 'a', {'name': 'a'})", None),
        ("await ctx.plugin_data.set('items', 'a', {'count': 1})", "does not match the items"),
        ("await ctx.plugin_data.set('other', 'a', {'count': 1})", None),
        (
            "await ctx.plugin_data.delete('items', 'a')",
            "does not allow the operation 'delete'",
        ),
    ],
)
def test_the_code_of_a_function_is_held_to_the_data_sets_of_its_package(
    tmp_path: Path, body: str, says: str | None
) -> None:
    function_package(tmp_path, body)
    report = play(tmp_path, "demo").report
    assert report.committed is (says is None), report.failure
    if says is not None:
        assert report.failure is not None
        assert says in report.failure.message


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        ("itmes", "which PLUGIN.md does not declare"),
        ({"dataset": "items", "tools": ["upsert"]}, "does not offer"),
    ],
)
def test_a_package_whose_choice_is_wrong_is_not_loaded(
    tmp_path: Path, choice: Any, says: str
) -> None:
    package(tmp_path, datasets=[choice], declared={"ops": ["put"]})
    with pytest.raises(RequestRefused, match=says):
        play(tmp_path, "demo", done())
