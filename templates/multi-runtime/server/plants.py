from typing import Annotated

from pydantic import Field

from plugin_sdk import PluginData, ToolContext, tool, with_pending_proposals

PLANTS = "plants"


@tool
async def note_plant(
    ctx: ToolContext,
    name: Annotated[str, Field(min_length=1, max_length=80, description="Name of the plant.")],
    note: Annotated[str, Field(max_length=400, description="What was said of it.")] = "",
) -> object:
    """Note one plant that was found."""
    record = {"name": name, "note": note}
    return with_pending_proposals(
        record, [PluginData(namespace=PLANTS, key=name.strip().lower(), value=record)]
    )


@tool(read_only=True)
async def list_plants(ctx: ToolContext) -> object:
    """List the plants found so far."""
    return {"plants": [row.value for row in await ctx.store.list_plugin_data(PLANTS)]}
