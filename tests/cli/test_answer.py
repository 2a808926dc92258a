"""`covel answer`: open questions, accepted and refused answers."""

from pathlib import Path

import pytest

from tests.cli.support import Covel
from tests.support.actions import write_satchel

CODE = """
@form_validator("known")
def known(ctx: FormContext, values, data):
    if values["name"] in data:
        return [FormIssue("That name is taken.", field="name")]
"""
HANDLER = """
from plugin_sdk import FormInteraction
from plugin_sdk.interactions import FormField, FormValidation
from plugin_sdk.outcomes import Effects, success

async def handle(ctx):
    last = ctx.session.last_player_input
    if last is not None:
        return success({"last": last.values})
    form = FormInteraction(
        interaction_id="sheet", title="Who are you?", submit_label="Go",
        narrative_template="I am {{name}}.",
        fields=[FormField(type="text", name="name", label="Name", required=True)],
        validation=FormValidation(name="known", data=["Ada"]),
    )
    return success({}, effects=Effects(interactions=[form]))
"""
TRUST = ("--trust", "satchel")


@pytest.fixture
def asked(home: Path, plugins: Path, covel: Covel) -> tuple[str, str]:
    """Session and turn of a form that waits for its answer."""
    write_satchel(
        home,
        CODE,
        contributes={"forms": ["known"]},
        runtime={
            "schedule": {"trigger": {"type": "manual"}},
            "function": {"handler": "./server/handler.py"},
        },
        files={"server/handler.py": HANDLER},
    )
    called = covel("run", "satchel", *TRUST, "--json")
    assert called.code == 0, called.err
    return called.json["sessionId"], called.json["turnId"]


def test_open_questions_are_listed_until_they_are_answered(
    covel: Covel, asked: tuple[str, str]
) -> None:
    session_id, turn_id = asked
    listed = covel("answer", session_id)
    assert listed.code == 0
    assert listed.out.splitlines()[1].split() == [
        "sheet", "form", turn_id, "satchel", "Who", "are", "you?",
    ]  # fmt: skip
    (question,) = covel("answer", session_id, "--json").json["questions"]
    assert (question["interactionId"], question["interaction"]["type"]) == ("sheet", "form")
    called = covel("answer", session_id, "sheet", "--values", '{"name": "Wren"}', *TRUST)
    assert (called.code, called.out) == (0, "I am Wren.\n")
    assert f"Stored as revision 2 of session {session_id}." in called.err
    assert covel("answer", session_id).out == "No question is open.\n"


def test_a_run_after_the_answer_reads_it(covel: Covel, asked: tuple[str, str]) -> None:
    session_id, turn_id = asked
    called = covel("answer", session_id, "sheet", "--values", '{"name": "Wren"}', *TRUST, "--json")
    assert called.json["results"][0]["values"] == {"name": "Wren"}
    assert called.json["results"][0]["turnId"] == turn_id
    ran = covel("run", "satchel", "--session", session_id, *TRUST, "--json")
    assert ran.json["output"] == {"last": {"name": "Wren"}}


def test_a_refused_answer_shows_each_problem_at_its_field(
    covel: Covel, asked: tuple[str, str]
) -> None:
    session_id, _ = asked
    call = ("answer", session_id, "sheet", *TRUST, "--values")
    taken = covel(*call, '{"name": "Ada"}')
    assert taken.code == 1
    assert "  name: That name is taken.\nerror: The answer was not accepted" in taken.err
    error = covel(*call, "{}", "--json").json["error"]
    assert error["code"] == "form_rejected"
    assert error["details"]["issues"] == [{"field": "name", "message": "“Name” must be filled in."}]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("none", "--values", "{}"), "invalid_interaction_submission"),
        (("sheet", "--values", "{}", "--turn", "none"), "invalid_interaction_submission"),
        (("sheet", "--values", '{"x": 1}'), "invalid_interaction_submission"),
        (("sheet", "--values", "{"), "payload-not-json"),
    ],
)
def test_what_names_nothing_is_refused(
    covel: Covel, asked: tuple[str, str], arguments: tuple[str, ...], code: str
) -> None:
    called = covel("answer", asked[0], *arguments, *TRUST, "--json")
    assert (called.code, called.json["error"]["code"]) == (1, code)


def test_a_field_that_is_not_there_is_told_with_those_that_are(
    covel: Covel, asked: tuple[str, str]
) -> None:
    called = covel("answer", asked[0], "sheet", "--values", '{"nme": "Wren"}', *TRUST)
    assert "has no field 'nme'.\n  It has: name (text, required).\n" in called.err


def test_an_answer_is_stored_once(covel: Covel, asked: tuple[str, str]) -> None:
    call = ("answer", asked[0], "sheet", "--values", '{"name": "Wren"}', *TRUST, "--json")
    assert covel(*call).code == 0
    again = covel(*call)
    assert (again.code, again.json["error"]["code"]) == (1, "interaction_already_submitted")


def test_the_check_of_an_untrusted_package_asks_for_leave(
    covel: Covel, asked: tuple[str, str]
) -> None:
    called = covel("answer", asked[0], "sheet", "--values", '{"name": "Wren"}', "--json")
    assert (called.code, called.json["error"]["code"]) == (1, "approval-required")


def test_values_are_an_object_and_must_be_given(covel: Covel, asked: tuple[str, str]) -> None:
    missing = covel("answer", asked[0], "sheet")
    assert missing.code == 2
    assert "name (text, required)." in missing.err
    assert covel("answer", asked[0], "sheet", "--values", "[]").code == 2
