"""The bound on what package code answers, on every way by which it answers."""

import json
from pathlib import Path
from typing import Any

import pytest

from covel_host.base import answer_sizes
from covel_host.base.answer_sizes import size_problem, text_size_problem
from covel_host.hooks.refusals import ReplacementRefused
from covel_host.hooks.tool_rules import replaced_arguments, replaced_result
from covel_host.turn.errors import RequestRefused
from plugin_sdk.hook_events import FinishedToolCall, ToolCall
from tests.support.actions import Table, at_table, write_satchel
from tests.support.hosts import play
from tests.support.packages import write_package
from tests.support.replies import call, calls, done
from tests.support.service_packages import trade, write_function, write_provider

LIMIT = 20_000


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_sizes, "MAX_ANSWER_BYTES", LIMIT)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("size", [LIMIT, LIMIT + 1])
def test_a_value_is_measured_in_bytes_of_its_json(size: int) -> None:
    text = "é" * ((size - 2) // 2) + "x" * (size % 2)
    problem = f"it has {size:,} bytes as JSON, and may have 20,000" if size > LIMIT else None
    assert size_problem(text) == problem
    assert text_size_problem(json.dumps(text, ensure_ascii=False)) == problem
    big = 10**4_000
    assert size_problem([[big] * 6]) is not None


TOOLS = """
@tool(name="speak")
async def speak(size: int, how: str) -> object:
    '''Speak.'''
    text = "x" * size
    note = PluginData(namespace="notes", key="a", value=1)
    if how == "hidden":
        return with_model_view({"text": text}, summary="Much.")
    if how == "told":
        return with_pending_proposals(with_model_view(1, summary=text), [note])
    if how == "event":
        return with_emitted_events("ok", [Event("a.b", {"text": text})])
    return {"text": text}
"""


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("how", ["plain", "hidden", "told", "event"])
def test_a_tool_result_has_a_bound(tmp_path: Path, how: str) -> None:
    write_package(
        tmp_path / "plugins" / "bells",
        code=TOOLS,
        tools=["speak"],
        agent={"tools": {"plugin": ["speak"]}},
    )
    spoken = [call("speak", {"size": size, "how": how}) for size in (LIMIT - 400, LIMIT)]
    played = play(tmp_path, "bells", calls(*spoken), done())
    fits, large = played.report.result.tool_calls[:2]
    assert fits.error is None, fits.error
    assert large.error is not None
    assert large.error.code == "internal"
    assert "too large: it has 20," in large.error.message
    assert "too large: it has 20," in json.loads(large.envelope)["error"]["message"]
    assert len(played.rows.data) == (1 if how == "told" else 0)


SERVICES = """
    @service("stock.echo@1", kind="read")
    async def echo(ctx: ServiceContext, value: dict[str, object]) -> object:
        return "x" * value["size"]
"""
HANDLER = """
    async def handle(ctx):
        (offer,) = await ctx.services.discover("stock.echo@1")
        found = []
        for value in ({"size": 9}, {"size": 30_000}, {"size": 1, "more": "x" * 30_000}):
            try:
                found.append(await ctx.services.call(offer, value))
            except ToolError as error:
                found.append([error.code, error.message])
        return found
"""


@pytest.mark.usefixtures("small")
def test_what_goes_to_a_service_and_comes_from_it_has_a_bound(tmp_path: Path) -> None:
    contracts = ["stock.items@1", "stock.take@1", "stock.echo@1"]
    write_provider(tmp_path, code=SERVICES, contracts=contracts)
    write_function(tmp_path, handler=HANDLER)
    found: Any = trade(tmp_path).report.result.value
    small, wide, given = found
    assert small == "x" * 9
    assert wide == ["internal", "The service returned an invalid result."]
    assert given[0] == "invalid-input"
    assert given[1].startswith("The input of the service is too large: it has 30,0")


ACTIONS = """
@action("speak")
async def speak(ctx: ActionContext, payload: dict[str, object]) -> object:
    if "event" in payload:
        await ctx.emit(Event("bag.full", {"text": "x" * payload["size"]}))
    return "x" * payload["size"]
"""


@pytest.mark.usefixtures("small")
def test_what_an_action_answers_and_emits_has_a_bound(tmp_path: Path) -> None:
    event = {"topic": "bag.full", "schema": "./any.json", "description": "Full."}
    write_satchel(
        tmp_path,
        ACTIONS,
        contributes={"actions": ["speak"], "events": [event]},
        files={"any.json": "{}"},
    )

    async def body(table: Table) -> list[Any]:
        assert (await table.act("speak", {"size": 9})).result == "x" * 9
        wide = [{"size": 30_000}, {"size": 30_000, "event": True}]
        return [(await table.act("speak", payload)).failure for payload in wide]

    async def refused(table: Table) -> str:
        with pytest.raises(RequestRefused) as caught:
            await table.act("speak", {"text": "x" * 30_000})
        return f"{caught.value.code}: {caught.value.message}"

    told = at_table(tmp_path, refused, session={"session_id": "session-2"})
    assert told.startswith("payload-invalid: The payload is too large: it has 30,")
    answered, emitted = at_table(tmp_path, body)
    assert (answered.code, emitted.code) == ("internal", "invalid-input")
    assert "returned what is too large: it has 30,002 bytes" in answered.message
    assert "are too large: it has 30," in emitted.message


@pytest.mark.usefixtures("small")
def test_what_a_hook_puts_into_a_call_has_a_bound() -> None:
    wide = {"text": "x" * 30_000}
    with pytest.raises(ReplacementRefused, match="'arguments' is too large: it has 30,0"):
        replaced_arguments(ToolCall(id="c", name="speak", arguments={}), wide)
    ended = FinishedToolCall(id="c", name="speak", arguments={}, result=1, error=None)
    with pytest.raises(ReplacementRefused, match="'result' is too large: it has 30,0"):
        replaced_result(ended, wide)
