"""What is told of errors that authors raise, whatever they made of them."""

from typing import Any

import pytest
from pydantic import ValidationError

from covel_host.base.error_texts import (
    MAX_AUTHORED_CHARACTERS,
    error_text,
    kept_text,
    tool_error_of,
)
from plugin_sdk.errors import ToolError
from plugin_sdk.interactions import FormField


class Silent:
    """An object whose text cannot be had."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


class Bare(ToolError):
    """Made without the members of its base."""

    def __init__(self, **members: Any) -> None:
        Exception.__init__(self, "as raised")
        for name, value in members.items():
            setattr(self, name, value)

    def __str__(self) -> str:
        return "its own text"


def test_what_does_not_fit_a_model_is_told_in_one_line() -> None:
    with pytest.raises(ValidationError) as caught:
        FormField.model_validate({"type": "numbr", "name": ""})
    told = error_text(caught.value)
    assert told.startswith("FormField: type: Input should be 'text', 'textarea', ")
    assert "; name: String should have at least 1 character; label: Field required" in told
    assert "\n" not in told


@pytest.mark.parametrize(
    ("error", "message", "hint"),
    [
        (ToolError("conflict", "taken", hint="wait"), "taken", "wait"),
        (Bare(code="conflict"), "its own text", None),
        (Bare(code="conflict", message={"a": 1}, hint=5), "{'a': 1}", "5"),
        (Bare(code="conflict", message="\ud800", hint="\ud800"), "\ufffd", "\ufffd"),
        (
            Bare(code="conflict", message=Silent(), hint=Silent()),
            "Silent (its text cannot be shown: RuntimeError)",
            "Silent (its text cannot be shown: RuntimeError)",
        ),
    ],
)
def test_a_tool_error_is_told_in_two_texts(
    error: ToolError, message: str, hint: str | None
) -> None:
    told = tool_error_of(error)
    assert told is not None
    assert (told.code, told.message, told.hint) == ("conflict", message, hint)


@pytest.mark.parametrize("error", [Bare(), Bare(code="nonsense"), ValueError("x")])
def test_without_a_known_code_it_is_no_tool_error(error: Exception) -> None:
    assert tool_error_of(error) is None


def test_an_error_without_a_text_is_told_by_its_type() -> None:
    assert error_text(KeyError()) == "KeyError"
    assert error_text(ValueError(Silent())) == "ValueError (its text cannot be shown: RuntimeError)"


def test_a_text_is_kept_within_the_limit() -> None:
    assert kept_text("short \ud800") == "short \ufffd"
    kept = kept_text("x" * 5_000)
    assert (len(kept), kept[-1]) == (MAX_AUTHORED_CHARACTERS, "…")
