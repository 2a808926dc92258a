"""Reading the frozen dimension snapshot by ID, path and page (seed: world-dimension-get, -list).

A snapshot maps dimension IDs to `{name, description?, schema, value, version}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from plugin_sdk.errors import FieldProblem, ToolValidationError, problems_message
from plugin_sdk.rules._json import JsonObject, is_array, is_object, json_text
from plugin_sdk.rules.dimension_paths import PathSyntaxError, look_up, parse_read_path
from plugin_sdk.rules.model_facing import model_facing_json
from plugin_sdk.values import JsonValue

MAX_QUERIES = 20
DEFAULT_PAGE_LIMIT = 100
MAX_PAGE_LIMIT = 2_000

VALUE_TEXT_LIMIT = 4_000
"""Characters of one value in the model's text; the seed asks for a limit and names no figure."""

TEXT_LIMIT = 24_000
"""Characters of all values of one call in the model's text."""

LEAST_TEXT_LIMIT = 200
"""Characters that a value has even when the others have used up `TEXT_LIMIT`."""

_PUBLIC_MEMBERS = ("name", "description", "schema", "version")


@dataclass(frozen=True, slots=True)
class DimensionReading:
    """What a query call gives: `results` for code, complete; `text` for the model, one line each.

    A result is `{dimension, path?, found, error?}` and, when found, `value`, `name`,
    `description?`, `schema`, `version` and, when a page was asked for, `page`:
    `{value, total, nextOffset?}`.
    """

    results: list[dict[str, JsonValue]]
    text: str


@dataclass(frozen=True, slots=True)
class _Query:
    dimension_id: str
    path: str
    page: tuple[int, int] | None  # offset and limit


def query_dimension_snapshot(
    snapshot: Mapping[str, JsonObject], queries: Sequence[JsonObject]
) -> DimensionReading:
    """The answers to `queries`, in their order.

    Args:
        snapshot: The frozen dimensions of the execution. Results refer to its values.
        queries: 1 to 20 of `{dimension, path?, offset?, limit?}`. `path` is relative to the value.
            `offset` is 0 and `limit` 100 (at most 2,000) when only the other is given. A text is
            paged by character, an array by element, an object by entry; other values have no page.

    Raises:
        ToolValidationError: Too few or too many queries, or a member of the wrong kind or range.
    """
    results, lines = [], []
    left = TEXT_LIMIT
    for query in _checked(queries):
        result = _answer(snapshot, query, lambda value: value)
        results.append(result)
        # The model looks the path up in the projected value, so that it cannot name hidden fields.
        shown = _answer(snapshot, query, model_facing_json)
        limit = min(VALUE_TEXT_LIMIT, max(left, LEAST_TEXT_LIMIT))
        lines.append(_line(query, shown, snapshot, limit))
        left -= len(lines[-1])
    return DimensionReading(results, "\n".join(lines))


def list_dimensions(snapshot: Mapping[str, JsonObject]) -> dict[str, JsonValue]:
    """`{dimensions: [{id, name, type?, version}]}`: no values, rules or initial values."""
    return {"dimensions": [_listed(key, entry) for key, entry in snapshot.items()]}


def take_page(value: JsonValue, offset: int, limit: int) -> dict[str, JsonValue] | None:
    """`{value, total, nextOffset?}` of a text, array or object; None for a value without parts."""
    part: JsonValue
    if isinstance(value, str) or is_array(value):
        part = value[offset : offset + limit]
    elif is_object(value):
        part = dict(islice(value.items(), offset, offset + limit))
    else:
        return None
    page: dict[str, JsonValue] = {"value": part, "total": len(value)}
    if offset + limit < len(value):
        page["nextOffset"] = offset + limit
    return page


def _checked(queries: object) -> list[_Query]:
    if not is_array(queries) or not 1 <= len(queries) <= MAX_QUERIES:
        given = f"{len(queries)} queries" if is_array(queries) else "no list of queries"
        raise ToolValidationError(f"Expected 1 to {MAX_QUERIES} queries, got {given}.")
    problems = [
        FieldProblem(f"queries.{index}{path}", message)
        for index, query in enumerate(queries)
        for path, message in _query_problems(query)
    ]
    if problems:
        raise ToolValidationError(problems_message(problems), details=problems)
    return [_read_query(query) for query in queries if is_object(query)]


def _query_problems(query: JsonValue) -> Iterator[tuple[str, str]]:
    if not is_object(query):
        yield "", "The query is not an object."
        return
    if not isinstance(query.get("dimension"), str):
        yield ".dimension", "Give the dimension's id as text."
    if not isinstance(query.get("path"), (str, type(None))):
        yield ".path", "The path is not text."
    if not _is_integer(query.get("offset"), at_least=0):
        yield ".offset", f"{query['offset']!r} is not an integer of at least 0."
    if not _is_integer(query.get("limit"), at_least=1, at_most=MAX_PAGE_LIMIT):
        yield ".limit", f"{query['limit']!r} is not an integer from 1 to {MAX_PAGE_LIMIT}."


def _is_integer(value: JsonValue, *, at_least: int, at_most: int | None = None) -> bool:
    if value is None:
        return True
    if isinstance(value, bool) or not isinstance(value, int):
        return False
    return at_least <= value and (at_most is None or value <= at_most)


def _read_query(query: JsonObject) -> _Query:
    offset, limit = query.get("offset"), query.get("limit")
    page = None
    if offset is not None or limit is not None:
        first = offset if isinstance(offset, int) else 0
        page = (first, limit if isinstance(limit, int) else DEFAULT_PAGE_LIMIT)
    return _Query(str(query["dimension"]), str(query.get("path") or ""), page)


def _answer(
    snapshot: Mapping[str, JsonObject],
    query: _Query,
    project: Callable[[JsonValue], JsonValue],
) -> dict[str, JsonValue]:
    result: dict[str, JsonValue] = {"dimension": query.dimension_id}
    if query.path:
        result["path"] = query.path
    entry = snapshot.get(query.dimension_id)
    try:
        segments = parse_read_path(query.path)
    except PathSyntaxError as error:
        return result | {"found": False, "error": str(error)}
    found, value = (False, None) if entry is None else look_up(project(entry["value"]), segments)
    if entry is None or not found:
        return result | {"found": False}
    result |= {"found": True, "value": value}
    result |= {key: entry[key] for key in _PUBLIC_MEMBERS if key in entry}
    if query.page and (page := take_page(value, *query.page)) is not None:
        result["page"] = page
    return result


def _line(query: _Query, result: JsonObject, snapshot: Mapping[str, JsonObject], limit: int) -> str:
    entry = snapshot.get(query.dimension_id)
    if entry is None:
        known = ", ".join(snapshot) or "none"
        return f"{query.dimension_id}: no such dimension (known: {known})"
    place = query.dimension_id + _joined(query.path)
    if "error" in result:
        return f"{place}: {result['error']}"
    head = f"{place} (v{entry.get('version')})"
    if not result["found"]:
        return f"{head}: not found"
    page = result.get("page")
    if not is_object(page):
        advice = "a narrower path or offset and limit"
        return f"{head} = {_value_text(result['value'], limit, advice)}"
    text = _value_text(page["value"], limit, "a smaller limit")
    return f"{head}{_page_text(page, query)} = {text}"


def _joined(path: str) -> str:
    return path if not path or path[0] in "/[" else f".{path}"


def _page_text(page: JsonObject, query: _Query) -> str:
    offset = query.page[0] if query.page else 0
    following = f", nextOffset {page['nextOffset']}" if "nextOffset" in page else ""
    return f" from offset {offset} of {page['total']}{following}"


def _value_text(value: JsonValue, limit: int, advice: str) -> str:
    text = json_text(value)
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… [truncated: {limit} of {len(text)} characters; use {advice}]"


def _listed(dimension_id: str, entry: JsonObject) -> dict[str, JsonValue]:
    listed: dict[str, JsonValue] = {"id": dimension_id, "name": entry.get("name")}
    schema = entry.get("schema")
    if is_object(schema) and "type" in schema:
        listed["type"] = schema["type"]
    return listed | {"version": entry.get("version")}
