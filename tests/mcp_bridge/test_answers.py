"""What a client is told of a call, in the words of the session's language."""

import json
from pathlib import Path

from covel_host.base.errors import HostError
from covel_host.mcp_bridge.answers import answer_of, refusal_answer
from covel_host.runtime.run import SingleCall
from tests.support.hosts import play


def test_a_write_is_said_to_be_committed_in_the_instruction_language(notes: Path) -> None:
    call = SingleCall("keep", '{"key": "a"}')
    environ = {"COVEL_INSTRUCTION_LOCALE": "zh"}
    played = play(notes, "notes", call=call, environ=environ)
    staged = json.loads(answer_of(played.report).text)["staged"]
    assert staged["notice"] == "已提交，已生效。"


def test_the_place_of_a_failed_call_has_no_revision(notes: Path) -> None:
    played = play(notes, "notes", call=SingleCall("fail", "{}"))
    answer = answer_of(played.report)
    assert answer.is_error
    assert [*answer.place] == ["sessionId", "turnId"]


def test_a_call_that_could_not_begin_has_the_form_of_a_failed_one() -> None:
    answer = refusal_answer(HostError("It is locked.", code="locked", hint="Wait."))
    assert json.loads(answer.text) == {
        "error": {"code": "locked", "message": "It is locked.", "hint": "Wait."}
    }
    assert (answer.is_error, answer.structured) == (True, json.loads(answer.text))
