"""What the audit keeps of a result that is no JSON."""

import enum
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from covel_host.base.json_text import MAX_DEPTH, dump_json
from covel_host.tools.call_audit import MAX_PROBLEMS, MAX_VALUES, audit_value
from plugin_sdk.errors import FieldProblem


class Level(enum.StrEnum):
    HIGH = "high"


class Hostile:
    @property
    def __class__(self) -> type:  # type: ignore[override]
        raise RuntimeError("no class")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner),
)


@given(JSON)
def test_json_is_kept_as_it_is(value: object) -> None:
    audited = audit_value(value)
    assert audited.problems == ()
    assert json.dumps(audited.value) == json.dumps(value)


@pytest.mark.parametrize(
    ("value", "kept", "problem"),
    [
        (float("nan"), None, FieldProblem("", "nan is not a JSON number")),
        ([1, float("inf")], [1, None], FieldProblem("1", "inf is not a JSON number")),
        (
            {"f": [len]},
            {"f": [None]},
            FieldProblem("f.0", "A value of type 'builtin_function_or_method' has no JSON form"),
        ),
        ({"s": {1}}, {"s": None}, FieldProblem("s", "A value of type 'set' has no JSON form")),
        (
            {"t": "\ud800"},
            {"t": None},
            FieldProblem("t", "The text holds a lone surrogate at position 0"),
        ),
        ({1: "a", "b": 2}, {"b": 2}, FieldProblem("", "A key of type 'int' is no text")),
    ],
)
def test_what_json_cannot_hold_becomes_a_problem(
    value: object, kept: object, problem: FieldProblem
) -> None:
    audited = audit_value(value)
    assert audited.value == kept
    assert audited.problems == (problem,)


def test_an_integer_too_long_to_write_becomes_a_problem() -> None:
    audited = audit_value({"n": 10**5_000, "m": 1})
    assert audited.value == {"n": None, "m": 1}
    assert [problem.path for problem in audited.problems] == ["n"]


class Herb(BaseModel):
    name: str
    weights: list[float]


def test_models_are_kept_as_a_good_result_has_them() -> None:
    audited = audit_value({"herb": Herb(name="mint", weights=[1.5]), "odd": {1}})
    assert audited.value == {"herb": {"name": "mint", "weights": [1.5]}, "odd": None}


def test_integers_of_any_writable_size_are_kept() -> None:
    number = 10**4_299
    assert audit_value(number).value == number
    assert dump_json(audit_value(number).value)


def test_a_cycle_is_cut_where_it_closes() -> None:
    value: dict[str, object] = {"a": 1}
    value["self"] = [value]
    audited = audit_value(value)
    assert audited.value == {"a": 1, "self": [None]}
    assert audited.problems == (FieldProblem("self.0", "The value contains itself"),)


def test_one_value_in_two_places_is_no_cycle() -> None:
    shared = {"a": 1}
    assert audit_value([shared, shared]).value == [{"a": 1}, {"a": 1}]


def test_deep_values_are_cut() -> None:
    value: object = []
    for _ in range(5_000):
        value = [value]
    audited = audit_value(value)
    assert len(audited.problems) == 1
    assert dump_json(audited.value).count("[") == MAX_DEPTH


def test_a_value_that_repeats_itself_without_end_is_cut() -> None:
    value: object = "x"
    for _ in range(64):
        value = [value, value]
    audited = audit_value(value)
    assert len(audited.problems) == MAX_PROBLEMS
    assert dump_json(audited.value).count("x") <= MAX_VALUES


def test_subclasses_become_plain_values() -> None:
    audited = audit_value({"level": Level.HIGH, "pair": (1, 2)})
    assert audited.value == {"level": "high", "pair": [1, 2]}
    assert type(audited.value["level"]) is str  # type: ignore[index,call-overload]


def test_an_object_that_raises_when_looked_at_is_a_problem() -> None:
    audited = audit_value([1, Hostile()])
    assert audited.value is None
    assert audited.problems == (FieldProblem("", "The value cannot be read (RuntimeError)"),)
