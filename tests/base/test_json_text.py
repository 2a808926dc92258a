from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.base.json_text import (
    MAX_DEPTH,
    WRAPPED_DEPTH,
    JsonTextError,
    JsonValueError,
    dump_json,
    json_copy,
    parse_json,
)

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
)


@given(JSON_VALUES)
def test_what_is_written_reads_back_equal(value: object) -> None:
    assert parse_json(dump_json(value)) == value


@given(JSON_VALUES)
def test_a_copy_is_equal_and_copies_again_to_itself(value: object) -> None:
    assert json_copy(json_copy(value)) == value


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_a_non_finite_number_is_refused_with_its_place(token: str) -> None:
    with pytest.raises(JsonTextError) as caught:
        parse_json('{\n  "a": ' + token + "}")
    assert token in str(caught.value)
    assert (caught.value.line, caught.value.column) == (2, 8)


@pytest.mark.parametrize("text", ['"\ud800"', '"\\ud800"', '{"a": ["\\udfff"]}', '{"\\ud800": 1}'])
def test_a_lone_surrogate_is_refused(text: str) -> None:
    with pytest.raises(JsonTextError, match="lone surrogate"):
        parse_json(text)


def test_an_integer_of_ten_thousand_digits_is_refused() -> None:
    with pytest.raises(JsonTextError, match="digits"):
        parse_json("1" * 10_000)


@pytest.mark.parametrize(
    ("text", "kind", "place"),
    [('{\n  "a": 1,\n}', "object", (2, 9)), ("[1, 2, ]", "array", (1, 6))],
)
def test_a_comma_too_many_is_told_alike_by_every_interpreter(
    text: str, kind: str, place: tuple[int, int]
) -> None:
    with pytest.raises(JsonTextError, match=f"trailing comma before end of {kind}") as caught:
        parse_json(text)
    assert (caught.value.line, caught.value.column) == place


def test_big_integers_survive_both_ways() -> None:
    number = 123456789012345678901234567890
    assert parse_json(dump_json({"n": number})) == {"n": number}


def test_bytes_with_a_byte_order_mark_are_read_and_other_bytes_refused() -> None:
    assert parse_json(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}
    with pytest.raises(JsonTextError, match="byte 1"):
        parse_json(b'"\xff"')


@pytest.mark.parametrize("text", ["[" * 5000 + "]" * 5000, "[" * 100_000])
def test_deep_text_is_refused_without_exhausting_the_stack(text: str) -> None:
    with pytest.raises(JsonTextError, match="nested"):
        parse_json(text)


def test_a_value_that_contains_itself_is_refused() -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    for write, limit in ((json_copy, MAX_DEPTH), (dump_json, WRAPPED_DEPTH)):
        with pytest.raises(JsonValueError, match=f"deeper than {limit}"):
            write(cycle)


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


def test_what_the_host_writes_around_the_deepest_value_reads_back() -> None:
    inside = json_copy(nested(MAX_DEPTH))
    with pytest.raises(JsonValueError, match=f"deeper than {MAX_DEPTH}"):
        json_copy(nested(MAX_DEPTH + 1))
    row = [{"output": {"value": inside}}]
    text = dump_json(row)
    assert parse_json(text, max_depth=WRAPPED_DEPTH) == row
    with pytest.raises(JsonTextError, match=f"deeper than {MAX_DEPTH}"):
        parse_json(text)


@pytest.mark.parametrize("write", [json_copy, dump_json])
def test_an_integer_too_long_to_be_written_is_refused_with_its_path(write: Any) -> None:
    with pytest.raises(JsonValueError, match="16610 bits is too long") as caught:
        write({"a": [10**5000]})
    assert caught.value.path == "a.0"


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"a": [1, {2}]}, "a.1"),
        ({"a": float("nan")}, "a"),
        ({1: "x"}, ""),
        ({"a": object()}, "a"),
        ({"a": "\ud800"}, "a"),
        (lambda: None, ""),
    ],
)
def test_what_json_cannot_hold_is_refused_with_its_path(value: object, path: str) -> None:
    with pytest.raises(JsonValueError) as caught:
        dump_json(value)
    assert caught.value.path == path


def test_dates_become_iso_text_and_tuples_arrays() -> None:
    value = {"at": datetime(2026, 1, 2, tzinfo=UTC), "pair": (1, 2)}
    assert json_copy(value) == {"at": "2026-01-02T00:00:00+00:00", "pair": [1, 2]}


class Shown(dict[str, object]):
    """A mapping that says for itself what it is as JSON."""

    def __json_form__(self) -> object:
        return [*self, {1: 2}] if "bad" in self else [*self]


def test_a_value_may_say_what_it_is_as_json() -> None:
    assert json_copy({"a": Shown(b=1), "c": (Shown(d=2),)}) == {"a": ["b"], "c": [["d"]]}
    with pytest.raises(JsonValueError, match="The key 1 is not text"):
        json_copy(Shown(bad=1))
