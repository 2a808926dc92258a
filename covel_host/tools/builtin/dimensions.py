"""`world-dimension-get` and `world-dimension-list`: the frozen dimensions of the world.

Both read the snapshot of the execution: no staged write shows in it, and no read is recorded
(seed: world-dimension-get, world-dimension-list).
"""

from collections.abc import Mapping
from typing import Annotated, cast

from pydantic import Field

from covel_host.tools.builtin.tool_input import ToolInput
from plugin_sdk.context import ToolContext
from plugin_sdk.results import with_model_view
from plugin_sdk.rules.dimensions import (
    DEFAULT_PAGE_LIMIT,
    MAX_PAGE_LIMIT,
    MAX_QUERIES,
    list_dimensions,
    query_dimension_snapshot,
)
from plugin_sdk.rules.i18n import I18nText, resolve_i18n_text
from plugin_sdk.tools import tool
from plugin_sdk.values import JsonValue


class QueryInput(ToolInput):
    """One question."""

    dimension: Annotated[str, Field(description="The ID of a dimension.")]
    path: Annotated[
        str | None,
        Field(
            description="A place inside the value: 'durability', 'regions[0].name', '[0].name' or "
            "'/regions/0/name'. Leave it out for the whole value."
        ),
    ] = None
    offset: Annotated[
        int | None, Field(ge=0, description="The first part of the page; 0 without it.")
    ] = None
    limit: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_PAGE_LIMIT,
            description="How many characters, elements or entries the page has; "
            f"{DEFAULT_PAGE_LIMIT} where only an offset is given.",
        ),
    ] = None


class QueriesInput(ToolInput):
    """The questions of one call."""

    queries: Annotated[list[QueryInput], Field(min_length=1, max_length=MAX_QUERIES)]


@tool(
    name="world-dimension-get",
    description=(
        "Read the current values of world dimensions, as they were when this turn began. Ask for a "
        "path to read a part. With offset or limit a text is read by characters, an array by "
        "elements, an object by entries. A long value is cut and says so: ask for a narrower path "
        "or a page, and never take the cut text for the whole."
    ),
    parameters=QueriesInput,
    read_only=True,
    idempotent=True,
    concurrency_safe=True,
)
async def world_dimension_get(asked: QueriesInput, context: ToolContext) -> object:
    """`{results, text}`: the results are whole, the text is what the model reads."""
    queries = [query.given() for query in asked.queries]
    reading = query_dimension_snapshot(context.world.dimensions, queries)
    results: list[JsonValue] = [*reading.results]
    content: dict[str, JsonValue] = {"results": results, "text": reading.text}
    return with_model_view(content, summary=reading.text)


@tool(
    name="world-dimension-list",
    description=(
        "List the world's dimensions: ID, name, type and version. It tells no values: read those "
        "with world-dimension-get."
    ),
    read_only=True,
    idempotent=True,
    concurrency_safe=True,
)
async def world_dimension_list(context: ToolContext) -> object:
    """`{dimensions: [{id, name, type?, version}]}`; the model reads names in its own language."""
    snapshot, locale = context.world.dimensions, context.locale
    readable = {name: {**entry, "name": _name(entry, locale)} for name, entry in snapshot.items()}
    return with_model_view(list_dimensions(snapshot), data=list_dimensions(readable))


def _name(entry: Mapping[str, JsonValue], locale: str) -> str:
    return resolve_i18n_text(cast(I18nText, entry["name"]), locale)
