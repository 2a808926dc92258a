"""What a tool makes of the argument text, and how it refuses it."""

import datetime
import enum
import json
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter
from pydantic import JsonValue as PydanticJsonValue

from plugin_sdk import FieldProblem, JsonValue, Tool, ToolValidationError, tool


def _tool(annotation: Any, **options: Any) -> Tool[..., Any]:
    def take(value: Any) -> object:
        return value

    take.__annotations__["value"] = annotation
    return tool(**options)(take)


def _problems(made: Tool[..., Any], text: str) -> tuple[FieldProblem, ...]:
    with pytest.raises(ToolValidationError) as caught:
        made.parse(text)
    assert caught.value.code == "invalid-input"
    assert caught.value.hint == "Fix these fields and call the tool again."
    for problem in caught.value.details:
        assert str(problem) in caught.value.message
    return caught.value.details


class Colour(enum.Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("annotation", "text", "value"),
    [
        (int, "5", 5),
        (float, "5", 5.0),
        (str, '"5"', "5"),
        (Colour, '"red"', Colour.RED),
        (datetime.date, '"2031-05-09"', datetime.date(2031, 5, 9)),
        (
            UUID,
            '"12345678-1234-5678-1234-567812345678"',
            UUID(int=0x12345678123456781234567812345678),
        ),
        (set[int], "[1, 1]", {1}),
        (tuple[int, str], '[1, "a"]', (1, "a")),
        (object, '{"a": [1, null]}', {"a": [1, None]}),
        (JsonValue, '{"a": [1, null]}', {"a": [1, None]}),
        (PydanticJsonValue, "[1.5]", [1.5]),
        (dict[str, JsonValue] | None, '{"a": 1}', {"a": 1}),
        (int, "123456789012345678901234567890", 123456789012345678901234567890),
        (object, "123456789012345678901234567890", 123456789012345678901234567890),
        (Annotated[str, AfterValidator(str.upper)], '"ab"', "AB"),
        (str, '"NaN or Infinity, 1e999"', "NaN or Infinity, 1e999"),
        (str, f'"{"1" * 400}"', "1" * 400),
        (object, "1" * 400, int("1" * 400)),
        (float, "1e300", 1e300),
    ],
)
def test_good_text_gives_the_value_after_validation(
    annotation: Any, text: str, value: object
) -> None:
    arguments = _tool(annotation).parse(f'{{"value": {text}}}')
    assert arguments == {"value": value}
    assert type(arguments["value"]) is type(value)


@pytest.mark.parametrize(
    ("annotation", "text", "message"),
    [
        (int, '"5"', 'Expected a whole number, got "5".'),
        (int, "5.5", "Expected a whole number, got 5.5."),
        (bool, '"yes"', 'Expected true or false, got "yes".'),
        (str, "5", "Expected text, got 5."),
        (str, "null", "Expected text, got null."),
        (list[int], '"[1]"', 'Expected an array, got "[1]".'),
        (dict[str, int], "[]", "Expected an object, got []."),
        (None, "1", "Expected null, got 1."),
        (Literal["a", "b"], '"c"', "Expected one of 'a' or 'b', got \"c\"."),
        (Literal["a"], '"c"', "Expected 'a', got \"c\"."),
        (Annotated[int, Field(ge=1)], "0", "The number must be at least 1."),
        (Annotated[int, Field(gt=1)], "1", "The number must be greater than 1."),
        (Annotated[int, Field(le=1)], "2", "The number must be at most 1."),
        (Annotated[int, Field(lt=1)], "1", "The number must be less than 1."),
        (Annotated[int, Field(multiple_of=5)], "1", "The number must be a multiple of 5."),
        (Annotated[str, Field(min_length=1)], '""', "The text must have at least 1 character."),
        (Annotated[str, Field(max_length=2)], '"abc"', "The text must have at most 2 characters."),
        (Annotated[str, Field(pattern="^a+$")], '"b"', "The text must match '^a+$'."),
        (
            Annotated[list[int], Field(min_length=2)],
            "[1]",
            "At least 2 items must be given, not 1.",
        ),
        (Annotated[list[int], Field(max_length=1)], "[1, 2]", "At most 1 item may be given."),
        (datetime.date, '"soon"', "Expected a date such as '2031-05-09', got \"soon\"."),
        (UUID, '"a"', 'Expected a UUID, got "a".'),
        (int | bool, '"x"', 'Expected a whole number or true or false, got "x".'),
        (list[int] | str, "5", "Expected an array or text, got 5."),
        (Annotated[int, Field(ge=1)] | str, "0", "The number must be at least 1."),
    ],
)
def test_bad_values_are_named_in_plain_words(annotation: Any, text: str, message: str) -> None:
    (problem,) = _problems(_tool(annotation), f'{{"value": {text}}}')
    assert problem == FieldProblem("value", message)


class Row(BaseModel):
    name: str
    size: int = 1


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")

    name: str


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str]


@pytest.mark.parametrize(
    ("annotation", "text", "problems"),
    [
        (list[Row], '[{"name": "a"}, {}]', {"value.1.name": "This field is required."}),
        (
            list[Row],
            '[{"name": 1, "size": "2"}]',
            {
                "value.0.name": "Expected text, got 1.",
                "value.0.size": 'Expected a whole number, got "2".',
            },
        ),
        (
            Closed,
            '{"name": "a", "more": 1}',
            {"value.more": "This field is not known here. Leave it out."},
        ),
        (Cat | Dog, '{"kind": "cat"}', {"value.lives": "This field is required."}),
        (
            Annotated[Cat | Dog, Field(discriminator="kind")],
            '{"kind": "dog", "tricks": [1]}',
            {"value.tricks.0": "Expected text, got 1."},
        ),
        (
            Annotated[Cat | Dog, Field(discriminator="kind")],
            '{"kind": "cow"}',
            {"value": "'kind' is 'cow'; expected one of 'cat', 'dog'."},
        ),
        (
            Annotated[Cat | Dog, Field(discriminator="kind")],
            "{}",
            {"value": "The member 'kind' is required; it says which kind this is."},
        ),
        (
            dict[Annotated[str, Field(min_length=3)], int],
            '{"ab": 1}',
            {"value.ab": "The key does not fit. The text must have at least 3 characters."},
        ),
        (list[int | Row], '[{"size": 2}]', {"value.0.name": "This field is required."}),
        (
            list[Row],
            '[{"nmae": "a"}]',
            {"value.0.name": "This field is required; 'nmae' is not known here."},
        ),
        (
            Row | None,
            '{"Name": "a", "weight": 3}',
            {"value.name": "This field is required; 'Name' is not known here."},
        ),
        (
            dict[str, Row],
            '{"x": {"weight": 3, "colour": "red"}}',
            {"value.x.name": "This field is required; 'weight', 'colour' are not known here."},
        ),
        (
            Closed,
            '{"nam": "a"}',
            {
                "value.name": "This field is required; 'nam' is not known here.",
                "value.nam": "This field is not known here; the nearest one is 'name'.",
            },
        ),
        (Open, '{"nmae": "a"}', {"value.name": "This field is required."}),
    ],
)
def test_every_problem_has_its_real_path(
    annotation: Any, text: str, problems: dict[str, str]
) -> None:
    found = _problems(_tool(annotation), f'{{"value": {text}}}')
    assert {problem.path: problem.message for problem in found} == problems
    assert len(found) == len(problems)


def test_a_misspelt_argument_is_named_with_the_right_one() -> None:
    @tool
    def ring(how_often: int, loud: bool = False) -> None:
        """Ring."""

    with pytest.raises(ToolValidationError) as caught:
        ring.parse('{"howOften": 3, "loud": true}')
    assert (
        caught.value.message == "how_often: This field is required; 'howOften' is not known here."
    )


def test_many_strange_names_are_not_compared() -> None:
    rows = json.dumps([{f"n{number}": 0 for number in range(60)}] * 500)
    found = _problems(_tool(list[Row]), f'{{"value": {rows}}}')
    assert {problem.message for problem in found} == {"This field is required."}


def test_a_value_with_many_slips_tells_the_first_ones_exactly() -> None:
    rows = json.dumps([{f"n{number}am": 0 for number in range(50)}] * 2000)
    found = _problems(_tool(list[Row]), f'{{"value": {rows}}}')
    assert sum("not known here" in problem.message for problem in found) == 20


def test_a_validators_own_words_are_kept() -> None:
    def refuse(value: str) -> str:
        raise ValueError("the bell is broken")

    (problem,) = _problems(_tool(Annotated[str, AfterValidator(refuse)]), '{"value": "x"}')
    assert problem == FieldProblem("value", "The bell is broken.")


def test_long_values_are_cut_in_messages() -> None:
    (problem,) = _problems(_tool(int), f'{{"value": "{"x" * 500}"}}')
    assert problem.message.endswith("….")
    assert len(problem.message) < 120


def test_all_problems_are_told_at_once() -> None:
    @tool
    def several(a: int, b: str, c: bool = True) -> None:
        """Take them."""

    with pytest.raises(ToolValidationError) as caught:
        several.parse('{"a": "1", "c": 1}')
    assert caught.value.message.splitlines() == [
        'a: Expected a whole number, got "1".',
        "b: This field is required.",
        "c: Expected true or false, got 1.",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The text is not valid JSON at line 1, column 0"),
        ("{", "The text is not valid JSON at line 1, column 1"),
        ('{"value": 1}]', "The text is not valid JSON at line 1"),
        ('{"value": "\\ud800"}', "The text is not valid JSON"),
        ('{"value": "\ud800"}', "half of a surrogate pair"),
        ("[]", "Expected an object, got []."),
        ('"a"', 'Expected an object, got "a".'),
        ("null", "Expected an object, got null."),
        ("[" * 5000, "The text is not valid JSON"),
    ],
)
def test_text_that_is_no_json_object_is_one_problem_of_the_whole(text: str, said: str) -> None:
    (problem,) = _problems(_tool(object), text)
    assert problem.path == ""
    assert said in problem.message


@pytest.mark.parametrize("annotation", [float, object, JsonValue, list[float] | Any])
@pytest.mark.parametrize(
    "token",
    [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "-1E+999",
        "1.5e0400",
        f"{'1' * 400}.5",
        f"{'9' * 300}e10",
    ],
)
def test_numbers_json_does_not_have_are_refused_everywhere(annotation: Any, token: str) -> None:
    (problem,) = _problems(_tool(annotation), f'{{"value": {token}}}')
    assert "is not a JSON number" in problem.message
    (inside,) = _problems(_tool(object), f'{{"value": [{{"deep": {token}}}]}}')
    assert "is not a JSON number" in inside.message


def test_the_last_of_equal_members_counts() -> None:
    assert _tool(int).parse('{"value": 1, "value": 2}') == {"value": 2}
    assert _tool(object).parse('{"value": {"a": 1, "a": 2}}') == {"value": {"a": 2}}


def test_unknown_members_are_ignored() -> None:
    assert _tool(int).parse('{"value": 1, "other": "x"}') == {"value": 1}


def test_a_model_decides_about_unknown_members_itself() -> None:
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")

    @tool(parameters=Open)
    def take(given: Open) -> None:
        """Take it."""

    @tool(parameters=Closed)
    def refuse(given: Closed) -> None:
        """Take it."""

    (given,) = take.parse('{"other": "x"}').values()
    assert isinstance(given, Open)
    assert given.model_dump() == {"other": "x"}
    assert _problems(refuse, '{"name": "a", "b": 1}')[0].path == "b"


def test_a_type_adapter_may_be_the_parameters() -> None:
    @tool(parameters=TypeAdapter(dict[str, int]))
    def count(words: dict[str, int]) -> None:
        """Count."""

    assert count.parse('{"a": 1}') == {"words": {"a": 1}}


def test_defaults_are_filled_in_and_never_shared() -> None:
    @tool
    def several(
        rows: list[int] = [],  # noqa: B006
        label: str = Field(default="x", max_length=3),
        note: Annotated[str | None, Field(description="Why")] = None,
    ) -> None:
        """Take them."""

    first = several.parse("{}")
    assert first == {"rows": [], "label": "x", "note": None}
    rows = first["rows"]
    assert isinstance(rows, list)
    rows.append(1)
    assert several.parse("{}")["rows"] == []
    assert _problems(several, '{"label": "long"}')[0].path == "label"


def test_a_field_default_without_a_value_is_required() -> None:
    @tool
    def described(key: str = Field(description="Key of the note")) -> None:
        """Read."""

    assert described.input_schema["required"] == ["key"]
    assert described.input_schema["properties"]["key"]["description"] == "Key of the note"
    assert _problems(described, "{}") == (FieldProblem("key", "This field is required."),)


def test_an_alias_is_the_members_name() -> None:
    @tool
    def move(source: Annotated[str, Field(alias="from")]) -> None:
        """Move."""

    assert list(move.input_schema["properties"]) == ["from"]
    assert move.parse('{"from": "a"}') == {"source": "a"}
    assert _problems(move, "{}")[0].path == "from"


def test_parameters_may_bear_names_that_models_use_themselves() -> None:
    @tool
    def named(schema: int, copy: str, json: bool, model_config: int, self_: int = 1) -> None:
        """Take them."""

    given = '{"schema": 1, "copy": "a", "json": true, "model_config": 2}'
    assert named.parse(given) == {
        "schema": 1,
        "copy": "a",
        "json": True,
        "model_config": 2,
        "self_": 1,
    }


@pytest.mark.parametrize(
    ("annotation", "text", "expected"),
    [
        (list[Row], '"[]"', "array"),
        (Row, '"{}"', "object"),
        (list[int] | None, '"[]"', "array"),
        (int, '"1"', None),
    ],
)
def test_a_problem_tells_the_host_where_json_text_may_stand_for_a_value(
    annotation: Any, text: str, expected: str | None
) -> None:
    (problem,) = _problems(_tool(annotation), f'{{"value": {text}}}')
    assert problem.location == ("value",)
    assert problem.expected == expected
