from typing import Annotated

from pydantic import Field

from plugin_sdk import PluginData, ToolContext, hookimpl, tool, with_pending_proposals


@tool
async def note_clue(
    ctx: ToolContext,
    name: Annotated[str, Field(min_length=1, max_length=40, description="A name for it.")],
    what: Annotated[str, Field(max_length=300, description="What was seen or said.")],
    suspect: Annotated[str | None, Field(description="Whom it points to, if anybody.")] = None,
) -> object:
    """Note one clue."""
    clue = {"what": what, "suspect": suspect, "turn": ctx.logical_turn}
    known = await ctx.store.get_plugin_data("clues", name)
    return with_pending_proposals(
        {"isNew": known is None}, [PluginData(namespace="clues", key=name, value=clue)]
    )


@hookimpl
def register_tools():
    return [note_clue]
