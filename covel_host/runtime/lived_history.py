"""`ctx.history_for`, and what an actor remembers: the story one character has lived through."""

from typing import Final

from covel_host.runtime.run import RuntimeRun
from covel_host.runtime.witnessed import Witness
from plugin_sdk.errors import ToolError
from plugin_sdk.records import TurnMessage

DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 500


async def lived_history(
    run: RuntimeRun, character_id: str, *, limit: int | None = None
) -> list[TurnMessage]:
    """The newest `limit` messages (100) of what the character has witnessed, oldest first.

    Raises:
        ToolError: `invalid-input` for the limit, `not-found` for the character, `unavailable` in a
            run without a world.
    """
    wanted = DEFAULT_LIMIT if limit is None else limit
    if not isinstance(wanted, int) or isinstance(wanted, bool) or not 1 <= wanted <= MAX_LIMIT:
        raise ToolError("invalid-input", f"limit is {limit!r}; it must be from 1 to {MAX_LIMIT}.")
    view = run.staging.world
    if view is None:
        raise ToolError("unavailable", "This run has no world, and so no characters.")
    view.read_character(character_id)
    character = view.directory().characters.get(character_id)
    if character is None:
        raise ToolError("not-found", f"There is no character with the ID {character_id!r}.")
    return await run.session.witnessed(Witness(character, view.seats), limit=wanted)
