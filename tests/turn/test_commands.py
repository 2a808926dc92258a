"""Player commands through the host: found, bound, run with their surroundings, traced."""

from pathlib import Path
from typing import Any

import pytest

from covel_host.turn.command_errors import CommandRefused
from covel_host.turn.commands import CommandHelp, CommandReport
from tests.support.actions import Table, at_table, write_satchel

CODE = """
@action("put")
async def put(ctx: ActionContext, payload: dict[str, object]) -> object:
    await ctx.store.set_plugin_data("notes", "last", payload)
    command = ctx.command
    return {
        "message": "Put away.",
        "command": command and [
            command.command, command.canonical, command.raw, list(command.argv), command.args,
            command.command_id, command.source,
        ],
        "environment": dict(ctx.environment),
    }

@action("spoil")
async def spoil(ctx: ActionContext, payload: dict[str, object]) -> object:
    ctx.command.args["item"] = "spoiled"
    raise ToolError("refused", "No.")
"""

PUT: dict[str, Any] = {
    "name": "put",
    "aliases": ["p"],
    "description": "Put something away.",
    "action": "put",
    "arguments": [
        {"name": "item", "required": True},
        {"name": "count", "type": "integer"},
    ],
}
LOOK = {
    "name": "look",
    "description": "Look around.",
    "action": "put",
    "context": ["session", "active-runtimes", "models"],
}
SPOIL = {
    "name": "spoil",
    "description": "Spoil it.",
    "action": "spoil",
    "arguments": [{"name": "item"}],
}


def package(home: Path, *commands: dict[str, Any], name: str = "satchel") -> None:
    write_satchel(
        home,
        CODE,
        name=name,
        contributes={"actions": ["put", "spoil"], "commands": list(commands)},
        runtime={"schedule": {"trigger": {"type": "manual"}}, "agent": {"model": "fast"}},
    )


async def typed(table: Table, line: str, **more: Any) -> CommandReport:
    report = await table.type(line, **more)
    assert isinstance(report, CommandReport)
    assert report.action.failure is None, report.action.failure
    return report


async def refused(table: Table, line: str, **more: Any) -> CommandRefused:
    with pytest.raises(CommandRefused) as found:
        await table.type(line, **more)
    return found.value


def test_a_line_runs_the_action_with_its_arguments_as_payload(tmp_path: Path) -> None:
    package(tmp_path, PUT)

    async def body(table: Table) -> None:
        report = await typed(table, '/p "brass lamp" 2')
        result: Any = report.action.result
        assert result["command"] == [
            "put", '/put "brass lamp" 2', '/p "brass lamp" 2', ["brass lamp", "2"],
            {"item": "brass lamp", "count": 2}, "satchel/put", "composer",
        ]  # fmt: skip
        assert table.data() == {"last": {"item": "brass lamp", "count": 2}}
        assert (result["environment"], report.action.environment) == ({}, {})
        assert table.session.completed_player_turns == 0
        (row,) = table.audit()
        assert (row.type, row.target, row.outcome) == ("command", "put", "completed")
        assert row.input_id == report.invocation.invocation_id
        assert row.metadata == {"commandId": "satchel/put", "raw": '/p "brass lamp" 2'}

    at_table(tmp_path, body)


def test_arguments_may_be_given_by_name(tmp_path: Path) -> None:
    package(tmp_path, PUT)

    async def body(table: Table) -> None:
        report = await typed(table, "/put", args={"item": "lamp"}, source="plugin-ui")
        result: Any = report.action.result
        assert result["command"][1:5] == ["/put lamp", "/put", [], {"item": "lamp"}]
        assert table.audit()[0].source == "plugin-ui"
        assert (await refused(table, "/put", args={"count": 1})).argument == "item"

    at_table(tmp_path, body)


def test_a_wrong_argument_starts_nothing(tmp_path: Path) -> None:
    package(tmp_path, PUT)

    async def body(table: Table) -> None:
        found = await refused(table, "/put lamp two")
        assert (found.code, found.place) == ("command-argument", (10, 13))
        assert (table.audit(), table.observer.trace) == ([], [])

    at_table(tmp_path, body)


def test_an_unknown_command_names_the_nearest(tmp_path: Path) -> None:
    package(tmp_path, PUT)

    async def body(table: Table) -> None:
        found = await refused(table, "/putt lamp")
        assert (found.code, found.place, found.hint) == (
            "command-not-active",
            (0, 5),
            "Did you mean /put?",
        )

    at_table(tmp_path, body)


def test_a_command_of_two_packages_is_named_in_full(tmp_path: Path) -> None:
    package(tmp_path, PUT)
    package(tmp_path, {**PUT, "aliases": []}, {**LOOK, "name": "p"}, name="pouch")

    async def body(table: Table) -> None:
        found = await refused(table, "/put lamp")
        assert found.code == "command-ambiguous"
        assert found.hint == "Name one in full: /satchel/put, /pouch/put."
        await typed(table, "/pouch/put lamp")
        assert table.data(plugin_id="pouch") == {"last": {"item": "lamp"}}
        # A name goes before other packages' aliases.
        report = await typed(table, "/p")
        assert report.invocation.command_id == "pouch/p"

    at_table(tmp_path, body, active=("satchel", "pouch"))


def test_packages_outside_the_session_have_no_commands_in_it(tmp_path: Path) -> None:
    package(tmp_path, PUT)
    package(tmp_path, LOOK, name="pouch")

    async def body(table: Table) -> None:
        assert (await refused(table, "/look")).code == "command-not-active"

    at_table(tmp_path, body)


def test_the_environment_holds_what_the_command_asks_for(tmp_path: Path) -> None:
    package(tmp_path, LOOK)

    async def body(table: Table) -> None:
        report = await typed(table, "/look")
        result: Any = report.action.result
        shown = result["environment"]
        assert set(shown) == {"capturedAt", "session", "activeRuntimes", "models"}
        assert shown["session"]["id"] == "session-1"
        assert shown["session"]["activePlugins"] == ["satchel"]
        assert shown["activeRuntimes"] == [
            {
                "runtimeId": "satchel", "pluginId": "satchel", "type": "agent", "stage": None,
                "trigger": "manual",
                "model": {"slot": "fast", "provider": None, "model": "offline"},
            }
        ]  # fmt: skip
        assert shown["models"] == [{"slot": "fast", "provider": None, "model": "offline"}]
        assert report.action.environment["session"] == shown["session"]

    at_table(tmp_path, body)


def test_a_command_is_traced_live_and_keeps_its_arguments(tmp_path: Path) -> None:
    package(tmp_path, PUT, SPOIL)

    async def body(table: Table) -> None:
        await typed(table, "/put lamp")
        report = await table.type("/spoil lamp")
        assert isinstance(report, CommandReport)
        assert report.action.failure is not None
        invoked, completed, again, failed = table.observer.trace
        assert [event.type for event in (invoked, completed, again, failed)] == [
            "command.invoked", "command.completed", "command.invoked", "command.failed",
        ]  # fmt: skip
        assert invoked.data == {
            "invocationId": invoked.data["invocationId"], "commandId": "satchel/put",
            "command": "put", "pluginId": "satchel", "action": "put", "source": "composer",
            "canonical": "/put lamp", "raw": "/put lamp", "argv": ["lamp"],
            "args": {"item": "lamp"},
        }  # fmt: skip
        assert completed.data["resultOk"] is True
        assert (failed.data["error"], failed.data["args"]) == ("No.", {"item": "lamp"})

    at_table(tmp_path, body)


def test_help_lists_commands_unless_a_package_has_its_own(tmp_path: Path) -> None:
    package(tmp_path, PUT, LOOK)

    async def body(table: Table) -> None:
        every, one = await table.type("/help"), await table.type("/help /put")
        assert isinstance(every, CommandHelp)
        assert isinstance(one, CommandHelp)
        assert every.text.splitlines()[0] == "/put <item> [count]  Put something away."
        assert one.text.splitlines()[-1] == "  Full name: /satchel/put"
        assert (await refused(table, "/help nothing")).code == "command-not-active"

    at_table(tmp_path, body)
    package(tmp_path, {**LOOK, "name": "help"}, name="pouch")

    async def own(table: Table) -> None:
        assert (await typed(table, "/help")).invocation.command_id == "pouch/help"

    at_table(tmp_path, own, active=("pouch",), session={"session_id": "session-2"})


DE = """
PLUGIN.md:
  contributes:
    commands:
      - name: look
        description: Schaut sich um.
      - name: put
        description: Legt etwas weg.
        action: spoil
        arguments:
          - { name: item, description: Was weggelegt wird }
          - nonsense
      - { name: nothing, description: Gibt es nicht }
"""


@pytest.mark.parametrize(
    ("locale", "labels", "put", "look"),
    [
        ("de-AT", DE, "Legt etwas weg.", "Schaut sich um."),
        ("fr", DE, "Put something away.", "Look around."),
        (
            "de",
            "PLUGIN.md: { contributes: { commands: 5 } }",
            "Put something away.",
            "Look around.",
        ),
        ("de", "PLUGIN.md: [", "Put something away.", "Look around."),
    ],
    ids=["its language", "another", "no labels", "no YAML"],
)
def test_help_speaks_the_language_of_the_session_where_a_package_does(
    tmp_path: Path, locale: str, labels: str, put: str, look: str
) -> None:
    described = [{**PUT["arguments"][0], "description": "What to put away."}, PUT["arguments"][1]]
    package(tmp_path, {**PUT, "arguments": described}, LOOK)
    file = tmp_path / "plugins" / "satchel" / "locales" / "de.yaml"
    file.parent.mkdir()
    file.write_text(labels, encoding="utf-8")

    async def body(table: Table) -> None:
        every, one = await table.type("/help"), await table.type("/help put")
        assert isinstance(every, CommandHelp)
        assert isinstance(one, CommandHelp)
        lines = every.text.splitlines()
        assert lines[:2] == [f"/put <item> [count]  {put}", f"/look                {look}"]
        assert one.text.splitlines()[1] == f"  {put}"
        assert ("Was weggelegt wird" in one.text) == (locale == "de-AT")
        # Labels change what is read and nothing that is done.
        assert (await typed(table, "/put lamp")).action.action == "put"

    at_table(tmp_path, body, session={"locale": locale})
