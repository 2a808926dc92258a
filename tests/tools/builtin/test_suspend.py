from tests.tools.builtin.calling import answer, called, error


def test_the_marker_holds_the_reason_and_the_compiled_schema() -> None:
    field = {"type": "number", "name": "age", "label": "Age", "required": True, "step": 1}
    result = called("suspend", {"reason": "Who are you?", "fields": [field]})
    assert result.content == {
        "_covelSuspend": True,
        "reason": "Who are you?",
        "resumeSchema": {
            "type": "object",
            "properties": {"age": {"type": "number", "title": "Age"}},
            "additionalProperties": False,
            "required": ["age"],
        },
    }
    assert answer(result) == {"summary": "Waiting for the player's answer."}


def test_a_raw_schema_in_place_of_fields_is_refused() -> None:
    given = {"reason": "Who?", "resumeSchema": {"type": "object"}}
    assert error(called("suspend", given)) == ("invalid-input", ["fields"])
