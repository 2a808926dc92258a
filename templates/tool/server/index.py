from typing import Annotated

from pydantic import Field

from plugin_sdk import PluginData, ToolContext, hookimpl, tool, with_pending_proposals


@tool
async def roll_die(
    ctx: ToolContext,
    sides: Annotated[int, Field(ge=2, le=100, description="Sides of the die (2-100).")],
) -> object:
    """Roll one die and remember the result."""
    before = await ctx.store.get_plugin_data("rolls", "last")
    rolled = ctx.random.randint(1, sides)
    # A tool writes nothing itself: what it proposes is committed with the turn, or not at all.
    return with_pending_proposals(
        {"rolled": rolled, "before": before},
        [PluginData(namespace="rolls", key="last", value=rolled)],
    )


@hookimpl
def register_tools():
    return [roll_die]
