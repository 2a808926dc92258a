"""Tool errors, their codes and their look-alikes."""

import copy
import pickle
from typing import Any

import pytest

from plugin_sdk import (
    TOOL_ERROR_CODES,
    CharacterFieldValidationError,
    FieldProblem,
    ToolError,
    ToolValidationError,
    is_tool_error,
)
from plugin_sdk.errors import problems_message


def test_the_codes_are_those_of_the_seed_in_its_order() -> None:
    assert TOOL_ERROR_CODES == (
        "invalid-input",
        "not-found",
        "ambiguous",
        "refused",
        "unavailable",
        "timeout",
        "conflict",
        "cancelled",
        "internal",
    )


@pytest.mark.parametrize("code", TOOL_ERROR_CODES)
def test_an_error_holds_its_facts(code: Any) -> None:
    error = ToolError(code, "No such bell.", hint="Ring another.")
    assert (error.code, error.message, error.hint) == (code, "No such bell.", "Ring another.")
    assert str(error) == "No such bell."
    assert ToolError(code, "x").hint is None


def test_an_unknown_code_is_refused() -> None:
    with pytest.raises(ValueError, match="'not_found' is not a tool error code"):
        ToolError("not_found", "x")  # type: ignore[arg-type]


def test_a_validation_error_is_invalid_input_with_details() -> None:
    problem = FieldProblem("rows.0", "This field is required.")
    error = ToolValidationError("rows.0: …", hint="Fix it.", details=[problem])
    assert isinstance(error, ToolError)
    assert error.code == "invalid-input"
    assert error.details == (problem,)
    assert ToolValidationError("x").details == ()


def test_a_character_field_error_names_the_attributes_once() -> None:
    error = CharacterFieldValidationError(
        "x",
        details=[FieldProblem("hp", "a"), FieldProblem("bag.0", "b"), FieldProblem("hp", "c")],
    )
    assert error.attributes == ("hp", "bag")
    assert error.code == "invalid-input"


@pytest.mark.parametrize(
    "error",
    [
        ToolError("refused", "No.", hint="Stop."),
        ToolValidationError("No.", hint="Stop.", details=(FieldProblem("a", "b"),)),
        CharacterFieldValidationError("No.", details=(FieldProblem("a", "b"),)),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_survive_copying_and_pickling(error: ToolError) -> None:
    for other in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert type(other) is type(error)
        assert vars(other) == vars(error)
        assert str(other) == str(error)


class OwnError(ToolError):
    pass


def _other_copy(code: object = "conflict", message: object = "x", hint: object = None) -> Exception:
    base = type("ToolError", (Exception,), {})
    error = type("Special", (base,), {})()
    error.code, error.message, error.hint = code, message, hint
    assert isinstance(error, Exception)
    return error


@pytest.mark.parametrize(
    "error",
    [ToolError("internal", "x"), OwnError("timeout", "x"), ToolValidationError("x"), _other_copy()],
)
def test_sub_classes_and_other_copies_are_tool_errors(error: object) -> None:
    assert is_tool_error(error)


class HasTheShapeOnly(Exception):
    code, message, hint = "timeout", "x", None


@pytest.mark.parametrize(
    "error",
    [
        ValueError("x"),
        None,
        "timeout",
        HasTheShapeOnly(),
        _other_copy(code="oops"),
        _other_copy(code=["a"]),
        _other_copy(message=1),
        _other_copy(hint=1),
    ],
)
def test_everything_else_is_not(error: object) -> None:
    assert not is_tool_error(error)


def test_problems_are_listed_one_a_line() -> None:
    problems = [FieldProblem("", "Whole."), FieldProblem("a.0", "Part.")]
    assert problems_message(problems) == "Whole.\na.0: Part."
