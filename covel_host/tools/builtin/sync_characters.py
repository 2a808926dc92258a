"""`sync-characters`: create and update characters, all or nothing (seed: sync-characters)."""

from functools import cached_property
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

from covel_host.proposals.world_view import WorldHandle, WorldView
from covel_host.tools.character_offer import offered_description, offered_parameters
from plugin_sdk.capabilities import World
from plugin_sdk.context import ToolContext
from plugin_sdk.results import with_model_view, with_pending_proposals
from plugin_sdk.rules.character_batches import plan_character_batch
from plugin_sdk.rules.character_names import CharacterDirectory
from plugin_sdk.shapes import Shape
from plugin_sdk.tools import ToolAnnotations


class _Entry(BaseModel):
    """One entry, with its lists and objects alone: a model that wrote one as text is understood.

    Everything else is for the plan of the batch to check, so that errors name the entry.
    """

    model_config = ConfigDict(extra="allow", alias_generator=to_camel, hide_input_in_errors=True)

    aliases: list[JsonValue] | None = None
    remove_aliases: list[JsonValue] | None = None
    fields_: Annotated[dict[str, JsonValue] | None, Field(alias="fields")] = None


class _Arguments(BaseModel):
    """What a call holds."""

    model_config = ConfigDict(hide_input_in_errors=True)

    creates: list[_Entry] | None = None
    updates: list[_Entry] | None = None


_SHAPE = Shape(_Arguments, subject='Tool "sync-characters"')


class SyncCharacters:
    """The tool of one run: its definition holds the types and field rules of the world it sees.

    Calls go by the schema as it is then, not by the one that the definition shows.
    """

    name = "sync-characters"
    annotations = ToolAnnotations()
    timeout_ms: int | None = None
    is_async = True

    def __init__(self, world: WorldView) -> None:
        self._world = world

    def __repr__(self) -> str:
        return "<SyncCharacters>"

    # Telling a model the rules is no read of the run: what it writes is checked against them anew.

    @cached_property
    def description(self) -> str:
        """What a model reads of it."""
        return offered_description(self._world.current().schema)

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """The schema a model sees; entries that do not fit it are refused by their place."""
        return offered_parameters(self._world.current().schema)

    def parse(self, text: str) -> dict[str, object]:
        """The call that one JSON text holds, as far as it was written.

        Raises:
            ToolValidationError: not JSON, or a value that is no list or object where one has to be.
        """
        arguments: _Arguments = _SHAPE.parse(text)
        return {"call": arguments.model_dump(by_alias=True, exclude_unset=True)}

    async def invoke(self, context: ToolContext, arguments: dict[str, object]) -> object:
        """`{created, updated, unchanged}`, with one `character.upsert` per entry that writes.

        Raises:
            ToolValidationError, CharacterFieldValidationError, ToolError: as
                `plan_character_batch` says; the message names the entry.
        """
        call = cast("dict[str, JsonValue]", arguments["call"])
        world = context.world
        # A batch without entries looks at nobody.
        is_empty = not any(call.values())
        batch = plan_character_batch(
            call,
            characters=() if is_empty else _directory(world),
            schema=None if is_empty else world.character_schema,
        )
        told = with_model_view(batch.content, summary=batch.summary)
        return with_pending_proposals(told, batch.proposals)


def _directory(world: World) -> CharacterDirectory:
    # Contexts of this host hand out no other world; packages have no use for its directory.
    assert isinstance(world, WorldHandle)
    return world.directory()
