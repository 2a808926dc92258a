"""`list-characters` and `get-character`: who is in the session (seed: list-characters)."""

import copy
from typing import Annotated

from pydantic import Field

from covel_host.tools.builtin.tool_input import ToolInput
from plugin_sdk.context import ToolContext
from plugin_sdk.results import ToolResult, with_model_view
from plugin_sdk.rules import characters as rules
from plugin_sdk.tools import tool
from plugin_sdk.values import JsonValue


class ListInput(ToolInput):
    """Which characters; an empty type stands for none, which a call cannot give."""

    type: Annotated[
        str,
        Field(
            min_length=1,
            default_factory=str,
            description="Only characters of this type, taken literally. Leave it out for all.",
        ),
    ]


class GetInput(ToolInput):
    """Whom to look up."""

    id: Annotated[str | None, Field(description="The character's ID.")] = None
    name: Annotated[
        str | None,
        Field(description="A name or an alias; a part of it will do where it fits one alone."),
    ] = None


@tool(
    name="list-characters",
    description=(
        "List the characters of this session, one line each: name, aliases, type, ID, version and "
        "a short description. Use get-character for all attributes of one."
    ),
    parameters=ListInput,
    read_only=True,
    idempotent=True,
    concurrency_safe=True,
)
async def list_characters(wanted: ListInput, context: ToolContext) -> object:
    """`{count, characters}`: the count of all that fit, and the first 50 of them."""
    everybody = map(copy.copy, context.world.characters)
    return _told(rules.list_characters(everybody, character_type=wanted.type or None))


@tool(
    name="get-character",
    description=(
        "Look up one character of this session, whether present or not, with all attributes. Give "
        "its id or its name."
    ),
    parameters=GetInput,
    read_only=True,
    idempotent=True,
    concurrency_safe=True,
)
async def get_character(wanted: GetInput, context: ToolContext) -> object:
    """`{character}`.

    Raises:
        ToolValidationError: neither `id` nor `name` is given.
        ToolError: `not-found`, naming similar characters; `ambiguous`, naming those meant.
    """
    everybody = context.world.characters
    # An exact ID settles it: then the others are not looked at, and the run does not rest on them.
    named = [record for record in everybody if record["id"] == (wanted.id or wanted.name)]
    looked_at = map(copy.copy, named or everybody)
    return _told(rules.get_character(looked_at, character_id=wanted.id, name=wanted.name))


def _told(reading: rules.CharacterReading) -> ToolResult:
    content: dict[str, JsonValue] = reading.content
    return with_model_view(content, summary=reading.summary)
