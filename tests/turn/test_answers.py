"""Answers to committed questions: checked together, stored once, read by later runs."""

import asyncio
import dataclasses
from pathlib import Path
from typing import Any

import pytest
import yaml

from covel_host.catalog.trust import TrustPolicy
from covel_host.store.forks import ForkIds, fork_session
from covel_host.store.player_inputs import list_player_inputs
from covel_host.store.sessions import update_session
from covel_host.store.snapshots import keep_snapshot
from covel_host.turn import form_validators
from covel_host.turn.admission import ManualRequest
from covel_host.turn.answer_checks import MAX_ANSWERS, Answer
from covel_host.turn.answer_errors import AnswerRefused
from covel_host.turn.answering import AnswersReport, AnswersRequest
from covel_host.turn.errors import RequestRefused
from tests.support.actions import Table, at_table, write_satchel

CODE = """
seen = []

@form_validator("point-buy")
def point_buy(ctx: FormContext, values, data):
    seen.append((ctx, values, data))
    match values.get("name"):
        case "whole": return translate(ctx, "Too many points.")
        case "one": return FormIssue("Too strong.", field="force")
        case "several": return [FormIssue("Bad.", field="name"), FormIssue("Odd.", field="x")]
        case "raise": raise ValueError("secret detail")
        case "number": return 7
        case "change": values["name"] = "other"
        case "deep": data["limits"]["sum"] = 99
        case "hang":
            import time
            time.sleep(3600)

@action("keep")
async def keep(ctx: ActionContext, payload: dict[str, object]) -> object:
    try:
        await ctx.store.save_player_input(**payload)
    except ToolError as error:
        details = [[one.path, one.message] for one in getattr(error, "details", ())]
        return [error.code, details]
    return [entry.values for entry in await ctx.store.list_player_inputs()]

@tool(name="recall", read_only=True)
async def recall(ctx: ToolContext) -> object:
    '''Read the answers.'''
    return [entry.values for entry in await ctx.store.list_player_inputs()]
"""

HANDLER = """
from pydantic import TypeAdapter
from plugin_sdk.interactions import Interaction
from plugin_sdk.outcomes import Effects, success

async def handle(ctx):
    wanted = ctx.manual_payload
    if wanted is None:
        last = ctx.session.last_player_input
        every = await ctx.store.list_player_inputs()
        return success({
            "last": last and [last.form_id, last.turn_id, last.values],
            "all": [entry.values for entry in every],
        })
    questions = TypeAdapter(list[Interaction]).validate_python(wanted)
    return success({}, effects=Effects(interactions=questions))
"""

FORM = {
    "type": "form",
    "interactionId": "sheet",
    "title": "Who are you?",
    "submitLabel": "Go",
    "narrativeTemplate": "I am {{name}}, strong as {{force}}.",
    "fields": [
        {"type": "text", "name": "name", "label": "Name", "required": True},
        {
            "type": "number",
            "name": "force",
            "label": "Force",
            "min": 1,
            "max": 9,
            "defaultValue": 3,
        },
    ],
}
CHECKED = {
    **FORM,
    "validation": {"name": "point-buy", "data": {"limits": {"sum": 10}, "list": [1]}},
}
CHOICE = {
    "type": "choice",
    "interactionId": "way",
    "prompt": "Which way?",
    "choices": [{"id": "n", "label": "North"}, {"id": "s", "label": "South"}],
    "narrativeTemplate": "{{selectedLabel}} ({{selectedId}}).",
}
CONFIRMATION = {
    "type": "confirmation",
    "interactionId": "sure",
    "prompt": "Sure?",
    "narrativeTemplate": "{{confirmed}}.",
    "actionKind": "say",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return write_home(tmp_path)


def write_home(home: Path, *, forms: tuple[str, ...] = ("point-buy",)) -> Path:
    code = CODE if forms else CODE.replace('@form_validator("point-buy")', "")
    write_satchel(
        home,
        "from plugin_sdk.context import ToolContext\n" + code,
        contributes={"actions": ["keep"], "forms": list(forms), "tools": ["recall"]},
        runtime={
            "schedule": {"trigger": {"type": "manual"}},
            "function": {"handler": "./server/handler.py"},
        },
        files={
            "server/handler.py": HANDLER,
            "locales/zh.yaml": yaml.safe_dump({"messages": {"Too many points.": "点数太多。"}}),
        },
    )
    return home


async def ask(table: Table, *questions: dict[str, Any]) -> str:
    """The turn that asks the questions."""
    report = await table.host.run(
        ManualRequest(target="satchel", payload=list(questions), session_id=table.session_id)
    )
    assert report.failure is None, report.failure
    return report.turn_id


async def run(table: Table) -> Any:
    report = await table.host.run(ManualRequest(target="satchel", session_id=table.session_id))
    assert report.failure is None, report.failure
    return report.result.value


async def answer(table: Table, *answers: Answer) -> AnswersReport:
    request = AnswersRequest(session_id=table.session_id, answers=answers)
    return await table.host.answer(request, observer=table.observer)


async def refusal(table: Table, *answers: Answer) -> AnswerRefused:
    with pytest.raises(AnswerRefused) as refused:
        await answer(table, *answers)
    return refused.value


def sheet(turn_id: str, **fields: Any) -> Answer:
    return Answer(turn_id, "sheet", fields)


# --- accepted ----------------------------------------------------------------------------------


def test_an_answer_is_stored_normalised_and_told(home: Path) -> None:
    async def body(table: Table) -> None:
        turn_id = await ask(table, FORM)
        before = table.session.revision
        report = await answer(table, sheet(turn_id, name="Wren", force=" 4 "))
        (stored,) = report.stored
        assert (stored.values, stored.narrative) == (
            {"name": "Wren", "force": 4},
            "I am Wren, strong as 4.",
        )
        assert report.revision == table.session.revision == before + 1
        assert (stored.source.turn_id, stored.source.plugin_id) == (turn_id, "satchel")
        assert table.inputs() == [dataclasses.replace(stored, source=table.inputs()[0].source)]
        (event,) = table.observer.events
        assert (event.type, event.payload) == (
            "interaction.submitted",
            {
                "interactionTurnId": turn_id,
                "results": [
                    {
                        "submissionId": stored.input_id,
                        "interactionId": "sheet",
                        "values": {"name": "Wren", "force": 4},
                        "filledNarrative": "I am Wren, strong as 4.",
                    }
                ],
            },
        )
        (row,) = table.audit()
        assert (row.type, row.plugin_id, row.target, row.outcome, row.metadata) == (
            "form-submit",
            "satchel",
            "sheet",
            "completed",
            {"seatId": "seat-1", "turnId": turn_id, "kind": "act"},
        )

    at_table(home, body)


def test_choices_and_confirmations_take_labels_from_the_stored_question(home: Path) -> None:
    async def body(table: Table) -> list[tuple[Any, str]]:
        turn_id = await ask(table, CHOICE, CONFIRMATION)
        report = await answer(
            table,
            Answer(turn_id, "way", {"selectedId": "s", "selectedLabel": "Nowhere"}),
            Answer(turn_id, "sure", {"confirmed": False}, type="confirmation", kind="say"),
        )
        return [(stored.values, stored.narrative) for stored in report.stored]

    assert at_table(home, body) == [
        ({"selectedId": "s", "selectedLabel": "South"}, "South (s)."),
        ({"confirmed": False}, "Cancel."),
    ]
    chinese = {"locale": "zh-CN", "session_id": "session-2"}
    assert at_table(home, body, session=chinese)[1][1] == "取消."


def test_later_runs_read_the_answers_as_they_began(home: Path) -> None:
    async def body(table: Table) -> None:
        turn_id = await ask(table, FORM, CHOICE)
        assert await run(table) == {"last": None, "all": []}
        await answer(table, sheet(turn_id, name="Wren"))
        await answer(table, Answer(turn_id, "way", {"selectedId": "n"}))
        north = {"selectedId": "n", "selectedLabel": "North"}
        assert await run(table) == {
            "last": ["way", turn_id, north],
            "all": [{"name": "Wren", "force": 3}, north],
        }

    at_table(home, body)


def test_a_fork_has_the_answers_of_its_revision_only(home: Path) -> None:
    async def body(table: Table) -> None:
        store = table.host.ports.store
        turn_id = await ask(table, FORM, CHOICE)
        await answer(table, sheet(turn_id, name="Wren"))
        kept = table.session.revision
        now = table.host.ports.clock.now()
        await store.transaction(
            lambda transaction: keep_snapshot(
                transaction, table.session_id, snapshot_id="snap", at=now
            )
        )
        await answer(table, Answer(turn_id, "way", {"selectedId": "n"}))
        new = ForkIds(session_id="fork", incarnation="fork-1", snapshot_id="fork-snap")
        await store.transaction(
            lambda transaction: fork_session(transaction, table.session_id, kept, new=new, at=now)
        )
        copied = store.read_now(lambda reading: list_player_inputs(reading, "fork"))
        assert [record.interaction_id for record in copied] == ["sheet"]
        table.session_id = "fork"
        assert (await refusal(table, sheet(turn_id, name="Two"))).code == (
            "interaction_already_submitted"
        )
        await answer(table, Answer(turn_id, "way", {"selectedId": "s"}))

    at_table(home, body)


# --- refused -----------------------------------------------------------------------------------


def test_wrong_fields_are_refused_each_with_its_text(home: Path) -> None:
    async def body(table: Table) -> None:
        turn_id = await ask(table, FORM)
        refused = await refusal(table, sheet(turn_id, force=12))
        assert refused.code == "form_rejected"
        assert [(issue.field, issue.message) for issue in refused.issues] == [
            ("name", "“Name” must be filled in."),
            ("force", "“Force” must be at most 9."),
        ]
        assert (table.inputs(), table.audit(), table.observer.events) == ([], [], [])
        await answer(table, sheet(turn_id, name="Wren"))

    at_table(home, body)


def test_one_wrong_answer_keeps_the_whole_batch_out(home: Path) -> None:
    async def body(table: Table) -> None:
        turn_id = await ask(table, FORM, CHOICE, CONFIRMATION)
        refused = await refusal(
            table,
            sheet(turn_id, name="Wren"),
            Answer(turn_id, "way", {"selectedId": "west"}),
            Answer(turn_id, "sure", {"confirmed": "yes"}),
        )
        assert [(issue.interaction_id, issue.field) for issue in refused.issues] == [
            ("way", "selectedId"),
            ("sure", "confirmed"),
        ]
        assert table.inputs() == []

    at_table(home, body)


def test_a_question_is_answered_once_whatever_the_values(home: Path) -> None:
    async def body(table: Table) -> None:
        turn_id = await ask(table, FORM)
        twice = await refusal(table, sheet(turn_id, name="A"), sheet(turn_id, name="B"))
        assert twice.code == "interaction_already_submitted"
        await answer(table, sheet(turn_id, name="Wren"))
        for fields in ({"name": "Wren"}, {"name": "Other"}, {}, {"nothing": 1}):
            refused = await refusal(table, sheet(turn_id, **fields))
            assert (refused.code, refused.issues) == ("interaction_already_submitted", ())
        # The same question of another turn is another question.
        await answer(table, sheet(await ask(table, FORM), name="Again"))
        assert len(table.inputs()) == 2

    at_table(home, body)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"interaction_id": "none"}, "invalid_interaction_submission"),
        ({"turn_id": "turn-none"}, "invalid_interaction_submission"),
        ({"fields": {"name": "Wren", "colour": "red"}}, "invalid_interaction_submission"),
        ({"fields": {"name": "\ud800"}}, "invalid_interaction_submission"),
        ({"fields": [1]}, "invalid_interaction_submission"),
        ({"type": "choice"}, "invalid_interaction_submission"),
        ({"kind": "say"}, "invalid_action"),
    ],
)
def test_what_no_client_should_send_is_refused_without_issues(
    home: Path, change: dict[str, Any], code: str
) -> None:
    async def body(table: Table) -> None:
        good = sheet(await ask(table, FORM), name="Wren")
        refused = await refusal(table, dataclasses.replace(good, **change))
        assert (refused.code, refused.issues) == (code, ())

    at_table(home, body)


def test_a_batch_has_one_to_twenty_answers(home: Path) -> None:
    async def body(table: Table) -> None:
        many = [Answer("turn", f"q{number}", {}) for number in range(MAX_ANSWERS + 1)]
        for answers in ((), many):
            assert (await refusal(table, *answers)).code == "invalid_interaction_submission"

    at_table(home, body)


# --- validators --------------------------------------------------------------------------------


def test_a_validator_gets_frozen_values_data_and_languages(home: Path) -> None:
    async def body(table: Table) -> None:
        turn_id = await ask(table, CHECKED)
        await answer(table, sheet(turn_id, name="Wren", force="4"))
        generation = table.host.catalog.packages["satchel"].generation
        assert generation is not None
        (context, values, data) = generation.forms["point-buy"].function.__globals__["seen"][0]
        assert context.locale == "zh-CN"
        assert context.messages["Too many points."] == "点数太多。"
        assert dict(values) == {"name": "Wren", "force": 4}
        assert data == {"limits": {"sum": 10}, "list": [1]}

    at_table(home, body, session={"locale": "zh-CN"})


@pytest.mark.parametrize(
    ("name", "issues"),
    [
        ("whole", [(None, "点数太多。")]),
        ("one", [("force", "Too strong.")]),
        ("several", [("name", "Bad."), (None, "Odd.")]),
    ],
)
def test_what_a_validator_says_becomes_issues(
    home: Path, name: str, issues: list[tuple[str | None, str]]
) -> None:
    async def body(table: Table) -> None:
        refused = await refusal(table, sheet(await ask(table, CHECKED), name=name))
        assert refused.code == "form_rejected"
        assert [(issue.field, issue.message) for issue in refused.issues] == issues

    at_table(home, body, session={"locale": "zh-CN"})


@pytest.mark.parametrize("name", ["raise", "number", "change", "deep", "hang"])
def test_a_validator_that_fails_is_told_in_fixed_words(
    home: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(form_validators, "VALIDATOR_LIMIT_S", 0.05)

    async def body(table: Table) -> None:
        refused = await refusal(table, sheet(await ask(table, CHECKED), name=name))
        assert (refused.code, refused.message) == (
            "form_validator_failed",
            "The form could not be checked, so the answer was not accepted.",
        )
        assert table.inputs() == []
        if name == "hang":
            # A thread cannot be ended; the tracker knows of it.
            assert any("point-buy" in task for task in table.host.ports.tasks.pending)
            table.host.ports.tasks._tasks.clear()

    at_table(home, body)


def test_fields_are_checked_before_the_validator_is_asked(home: Path) -> None:
    async def body(table: Table) -> None:
        refused = await refusal(table, sheet(await ask(table, CHECKED), name="raise", force=99))
        assert [issue.field for issue in refused.issues] == ["force"]

    at_table(home, body)


def test_a_validator_that_is_gone_is_no_pass(home: Path) -> None:
    async def body(table: Table) -> None:
        turn_id = await ask(table, CHECKED)
        write_home(home, forms=())
        outcome = await table.host.ports.catalogs.reload("satchel")
        assert outcome.is_swapped, outcome.diagnostics
        refused = await refusal(table, sheet(turn_id, name="Wren"))
        assert refused.code == "form_validator_undeclared"

    at_table(home, body)


def test_the_asking_package_has_to_take_part_still(home: Path) -> None:
    async def body(table: Table) -> None:
        turn_id = await ask(table, FORM)
        session = dataclasses.replace(table.session, active_packages=())
        await table.host.ports.store.transaction(
            lambda transaction: update_session(transaction, session)
        )
        assert (await refusal(table, sheet(turn_id, name="Wren"))).code == "form_provider_inactive"

    at_table(home, body)


def test_a_package_that_is_gone_or_not_trusted_checks_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body(table: Table) -> None:
        turn_id = await ask(table, CHECKED, CHOICE)
        folder = home / "plugins" / "satchel"
        folder.rename(home / "elsewhere")
        await table.host.ports.catalogs.reload("satchel")
        assert (await refusal(table, sheet(turn_id, name="Wren"))).code == (
            "form_provider_unavailable"
        )
        # What needs no code of the package is answered all the same.
        await answer(table, Answer(turn_id, "way", {"selectedId": "n"}))

    at_table(home, body)
    (home / "elsewhere").rename(home / "plugins" / "satchel")

    async def untrusted(table: Table) -> None:
        turn_id = await ask(table, CHECKED)
        monkeypatch.setattr(TrustPolicy, "grant", lambda *arguments, **keywords: None)
        holder = table.host.ports.catalogs
        holder._publish("satchel", (await holder._loader.look("satchel")).state)
        with pytest.raises(RequestRefused) as refused:
            await answer(table, sheet(turn_id, name="Wren"))
        assert refused.value.code == "approval-required"

    at_table(home, untrusted, session={"session_id": "session-2"})


# --- stored by an action -----------------------------------------------------------------------


def test_an_action_stores_an_answer_to_its_packages_own_question(home: Path) -> None:
    async def body(table: Table) -> None:
        turn_id = await ask(table, CHECKED)
        place = {"turn_id": turn_id, "form_id": "sheet"}

        async def kept(values: Any, **more: Any) -> Any:
            report = await table.act("keep", {**place, **more, "values": values})
            assert report.failure is None, report.failure
            return report.result

        assert await kept({"force": 12}) == [
            "invalid-input",
            [["name", "“Name” must be filled in."], ["force", "“Force” must be at most 9."]],
        ]
        assert (await kept({"name": "one"}))[1] == [["force", "Too strong."]]
        assert (await kept({"name": "Wren"}, form_id="none"))[0] == "invalid-input"
        assert await kept({"name": "Wren"}) == [{"name": "Wren", "force": 3}]
        assert (await kept({"name": "Wren"}))[0] == "conflict"
        assert table.observer.types == ["interaction.submitted"]

    at_table(home, body)


def test_no_package_answers_for_another(home: Path) -> None:
    write_satchel(
        home,
        CODE.replace("@form_validator", "#").replace("@tool", "#"),
        name="pouch",
        contributes={"actions": ["keep"]},
    )

    async def body(table: Table) -> None:
        turn_id = await ask(table, FORM)
        payload = {"turn_id": turn_id, "form_id": "sheet", "values": {"name": "Wren"}}
        report = await table.act("keep", payload, plugin_id="pouch")
        assert report.result == ["invalid-input", []]
        assert table.inputs() == []

    at_table(home, body, active=("satchel", "pouch"))


def test_two_answers_at_once_leave_one(home: Path) -> None:
    async def body(table: Table) -> None:
        turn_id = await ask(table, FORM)
        outcomes = await asyncio.gather(
            *(answer(table, sheet(turn_id, name=f"n{number}")) for number in range(5)),
            return_exceptions=True,
        )
        codes = [getattr(each, "code", "stored") for each in outcomes]
        assert sorted(codes) == ["interaction_already_submitted"] * 4 + ["stored"]
        assert len(table.inputs()) == 1

    at_table(home, body)
