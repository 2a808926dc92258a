"""`@tool`: names, descriptions, context, annotations, calling."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Annotated, Any, Optional

import pytest
from pydantic import BaseModel, Field

from plugin_sdk import DefinitionError, Tool, ToolAnnotations, ToolContext, tool
from plugin_sdk.tools import check_tool

CONTEXT: Any = object()


@tool()
async def echo_value(
    value: Annotated[
        str,
        Field(min_length=1, max_length=80, description="Value to echo (1-80 characters)."),
    ],
) -> object:
    """Echo one short value."""
    return {"ok": True, "value": value}


def test_the_seeds_echo_tool_is_what_its_function_says() -> None:
    assert echo_value.name == "echo-value"
    assert echo_value.description == "Echo one short value."
    assert echo_value.annotations == ToolAnnotations()
    assert echo_value.annotations.stages_writes
    assert echo_value.timeout_ms is None
    assert echo_value.is_async
    assert echo_value.input_schema == {
        "type": "object",
        "properties": {
            "value": {
                "type": "string",
                "minLength": 1,
                "maxLength": 80,
                "description": "Value to echo (1-80 characters).",
            }
        },
        "required": ["value"],
    }


def test_a_parsed_call_runs_the_function() -> None:
    arguments = echo_value.parse('{"value": "lamp"}')
    result: Any = echo_value.invoke(CONTEXT, arguments)
    assert asyncio.run(result) == {"ok": True, "value": "lamp"}


def test_a_tool_is_callable_like_its_function() -> None:
    assert asyncio.run(_awaited(echo_value("lamp"))) == {"ok": True, "value": "lamp"}
    assert list(inspect.signature(echo_value).parameters) == ["value"]
    assert inspect.unwrap(echo_value) is echo_value.function


async def _awaited(coroutine: Any) -> object:
    return await coroutine


def test_options_replace_what_the_function_says() -> None:
    @tool(
        name="look-up",
        description="Read one note.",
        read_only=True,
        idempotent=True,
        concurrency_safe=True,
        timeout_ms=5000,
    )
    def anything(key: str) -> object:
        """Not this."""
        return key

    assert (anything.name, anything.description) == ("look-up", "Read one note.")
    assert anything.annotations == ToolAnnotations(
        read_only=True, stages_writes=False, idempotent=True, concurrency_safe=True
    )
    assert anything.timeout_ms == 5000
    assert not anything.is_async


def test_the_description_is_the_docstrings_first_paragraph_on_one_line() -> None:
    @tool
    def noted() -> None:
        """Write down
        what was said.

        Not for the model.
        """

    assert noted.description == "Write down what was said."
    assert noted.input_schema == {"type": "object", "properties": {}}
    assert noted.parse("{}") == {}


def test_stages_writes_may_be_said_apart_from_read_only() -> None:
    @tool(stages_writes=False, idempotent=True)
    def submit() -> None:
        """Check facts."""

    assert submit.annotations == ToolAnnotations(stages_writes=False, idempotent=True)


def _first(ctx: ToolContext, key: str) -> object:
    return ctx, key


def _last(key: str, surroundings: ToolContext) -> object:
    return surroundings, key


def _by_keyword(key: str, *, ctx: ToolContext) -> object:
    return ctx, key


def _as_text(key: str, ctx: "ToolContext") -> object:
    return ctx, key


def _annotated(ctx: Annotated[ToolContext, "the call"], key: str) -> object:
    return ctx, key


def _optional(key: str, ctx: Optional[ToolContext] = None) -> object:  # noqa: UP045
    return ctx, key


def _optional_text(key: str, ctx: "ToolContext | None" = None) -> object:
    return ctx, key


def _positional_only(ctx: ToolContext, /, key: str) -> object:
    return ctx, key


class _OwnContext(ToolContext):
    pass


def _own_protocol(ctx: _OwnContext, key: str) -> object:
    return ctx, key


@pytest.mark.parametrize(
    "function",
    [
        _first,
        _last,
        _by_keyword,
        _as_text,
        _annotated,
        _optional,
        _optional_text,
        _positional_only,
        _own_protocol,
    ],
    ids=lambda function: function.__name__,
)
def test_the_context_parameter_is_found_by_its_annotation(
    function: Callable[..., object],
) -> None:
    made = tool(name="any")(function)
    assert list(made.input_schema["properties"]) == ["key"]
    assert made.invoke(CONTEXT, made.parse('{"key": "a"}')) == (CONTEXT, "a")


def test_a_tool_without_context_does_not_get_one() -> None:
    @tool
    def plain(key: str) -> str:
        """Give the key."""
        return key

    assert plain.invoke(CONTEXT, plain.parse('{"key": "a"}')) == "a"


def test_a_model_takes_the_place_of_the_signature() -> None:
    class Note(BaseModel):
        key: str
        level: int = 3

    @tool(parameters=Note)
    def write_note(note: Note, ctx: ToolContext) -> object:
        """Write one note."""
        return note, ctx

    assert set(write_note.input_schema["properties"]) == {"key", "level"}
    arguments = write_note.parse('{"key": "a"}')
    assert arguments == {"note": Note(key="a")}
    assert write_note.invoke(CONTEXT, arguments) == (Note(key="a"), CONTEXT)


def test_invoking_leaves_the_arguments_alone() -> None:
    made = tool(name="any")(_last)
    arguments = made.parse('{"key": "a"}')
    made.invoke(CONTEXT, arguments)
    assert arguments == {"key": "a"}


def _refusal(make: Callable[[], object]) -> str:
    with pytest.raises(DefinitionError) as caught:
        make()
    return str(caught.value)


def _plain(key: str) -> None:
    """Do it."""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"read_only": True, "stages_writes": True}, "read_only and stages_writes"),
        ({"concurrency_safe": True}, "concurrency_safe needs read_only"),
        ({"timeout_ms": 0}, "timeout_ms is 0"),
        ({"timeout_ms": 600_001}, "timeout_ms is 600001"),
        ({"timeout_ms": 5.0}, "timeout_ms is 5.0"),
        ({"timeout_ms": True}, "timeout_ms is True"),
        ({"idempotent": 1}, "idempotent must be True or False"),
    ],
)
def test_contradictions_are_refused_when_the_decorator_runs(
    options: dict[str, Any], said: str
) -> None:
    text = _refusal(lambda: tool(name="ring-bell", **options)(_plain))
    assert text.startswith('Tool "ring-bell": ')
    assert said in text


@pytest.mark.parametrize("timeout_ms", [1, 600_000])
def test_both_ends_of_the_time_limit_are_accepted(timeout_ms: int) -> None:
    assert tool(timeout_ms=timeout_ms)(_plain).timeout_ms == timeout_ms


@pytest.mark.parametrize("name", ["", "a b", "ä", "x" * 65, "a.b", "a\n"])
def test_names_outside_the_alphabet_are_refused(name: str) -> None:
    assert _refusal(lambda: tool(name=name)(_plain)).startswith(f'Tool "{name}": the name must be')


@pytest.mark.parametrize("name", ["x" * 64, "Look_Up-2"])
def test_names_of_letters_digits_and_dashes_are_accepted(name: str) -> None:
    assert tool(name=name)(_plain).name == name


def test_hand_made_definitions_are_checked_by_the_same_rule() -> None:
    check_tool("a", annotations=ToolAnnotations(), timeout_ms=None)
    with pytest.raises(DefinitionError, match="exclude each other"):
        check_tool("a", annotations=ToolAnnotations(read_only=True), timeout_ms=None)


def _star(*keys: str) -> None: ...


def _stars(**keys: str) -> None: ...


def _bare(key) -> None: ...  # type: ignore[no-untyped-def]


def _bare_context(ctx, key: str) -> None: ...  # type: ignore[no-untyped-def]


def _slash(key: str, /) -> None: ...


def _two(a: ToolContext, b: ToolContext) -> None: ...


def _unknown(key: "NoSuchType") -> None: ...  # type: ignore[name-defined]  # noqa: F821


def _generator(key: str) -> Any:
    yield key


class _Opaque:
    pass


def _opaque(key: str, thing: _Opaque) -> None: ...


def _no_schema(key: str, when: Callable[[], int]) -> None: ...


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (_star, "'*keys' has no fixed shape"),
        (_stars, "'**keys' has no fixed shape"),
        (_bare, "'key' has no annotation. Write a type such as 'key: str'"),
        (_bare_context, "Write 'ctx: ToolContext' if it is the context"),
        (_slash, "'key' is positional-only"),
        (_two, "'a' and 'b' are both annotated ToolContext"),
        (_unknown, "the annotation of 'key', 'NoSuchType', cannot be read"),
        (_generator, "the function is a generator"),
        (_opaque, "the parameter 'thing': the shape cannot be checked"),
        (_no_schema, "the parameter 'when': a part of the shape has no JSON Schema"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_functions_a_model_cannot_call_are_refused(
    function: Callable[..., object], said: str
) -> None:
    text = _refusal(lambda: tool(name="ring-bell")(function))
    assert text.startswith('Tool "ring-bell": ')
    assert said in text


def test_a_parameter_model_needs_a_function_of_one_value() -> None:
    class Note(BaseModel):
        key: str

    def nothing(ctx: ToolContext) -> None: ...

    def too_much(note: Note, more: Note) -> None: ...

    assert "it takes none" in _refusal(lambda: tool(parameters=Note)(nothing))
    assert "it takes 'note', 'more'" in _refusal(lambda: tool(parameters=Note)(too_much))


def test_parameters_that_are_no_object_are_refused() -> None:
    def listed(rows: list[int]) -> None: ...

    assert "must describe one JSON object" in _refusal(lambda: tool(parameters=list[int])(listed))


def test_a_tool_shows_its_name() -> None:
    assert repr(echo_value) == "<Tool 'echo-value'>"
    assert isinstance(echo_value, Tool)
