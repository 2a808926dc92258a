"""From a model's text to keyword arguments: what is repaired, what is refused, what is kept."""

import json

import pytest
from pydantic import BaseModel

from covel_host.tools.call_arguments import (
    UnreadArguments,
    read_arguments,
)
from plugin_sdk.errors import FIX_FIELDS_HINT
from plugin_sdk.tools import tool


class Row(BaseModel):
    id: str
    n: int = 0


@tool(name="save")
async def save(rows: list[Row], title: str = "untitled") -> object:
    """Save rows."""
    return len(rows)


def test_text_that_fits_is_kept_as_it_was() -> None:
    text = '{ "rows": [ {"id": "a"} ] }'
    keywords, kept = read_arguments(save, text)
    assert (kept, keywords["rows"]) == (text, [Row(id="a")])
    assert keywords["title"] == "untitled"


@pytest.mark.parametrize(
    "text",
    [
        '{"rows":[{"id":"a"}]}]}',
        '{"rows":[{"id":"a"}}]}',
        '{"rows":"[{\\"id\\":\\"a\\"}]"}',
        '{"rows":"[{\\"id\\":\\"a\\"}"}',
        '{"rows":"[{\\"id\\":\\"a\\"}]"}]',
    ],
    ids=["extra closers", "wrong closer", "array as text", "open array as text", "both"],
)
def test_what_has_one_reading_is_repaired_for_function_and_history(text: str) -> None:
    keywords, kept = read_arguments(save, text)
    assert keywords["rows"] == [Row(id="a")]
    assert json.loads(kept) == {"rows": [{"id": "a"}]}


def failure(text: str) -> UnreadArguments:
    with pytest.raises(UnreadArguments) as caught:
        read_arguments(save, text)
    assert caught.value.failure.code == "invalid-input"
    return caught.value


def test_a_cut_off_text_is_refused_with_its_place_and_kept_as_a_string() -> None:
    text = '{"rows":[{"id":"a"'
    unread = failure(text)
    assert "line 1, column" in unread.failure.message
    assert json.loads(unread.text) == text


def test_values_that_do_not_fit_are_named_by_field_with_advice() -> None:
    unread = failure('{"rows":[{"id":1},{"id":"b","n":"2"}]}')
    assert unread.failure.message.splitlines()[0].startswith("rows.0.id: ")
    assert [problem.path for problem in unread.failure.details] == ["rows.0.id", "rows.1.n"]
    assert unread.failure.hint == FIX_FIELDS_HINT
    assert json.loads(unread.text)["rows"][0] == {"id": 1}


def test_a_text_in_place_of_an_array_says_why_it_could_not_be_read() -> None:
    unread = failure('{"rows":"[{\\"id\\": }]"}')
    (problem,) = unread.failure.details
    assert problem.path == "rows"
    assert "line 1, column" in problem.message


def test_repaired_arguments_still_have_to_fit() -> None:
    unread = failure('{"rows":"[{\\"id\\":5}]"}')
    assert [problem.path for problem in unread.failure.details] == ["rows.0.id"]
    assert json.loads(unread.text) == {"rows": [{"id": 5}]}


@pytest.mark.parametrize("text", ['{"rows":[],"title":NaN}', '{"rows":[{"id":"a","n":1e999}]}'])
def test_numbers_that_are_not_finite_are_refused(text: str) -> None:
    failure(text)


@pytest.mark.parametrize("text", ["", "[]", "null", '"rows"', "\ud800", "{" * 500])
def test_anything_but_an_object_is_refused_and_the_history_stays_json(text: str) -> None:
    json.loads(failure(text).text)
