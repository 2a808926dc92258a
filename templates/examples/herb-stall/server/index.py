from typing import Annotated

from pydantic import Field

from plugin_sdk import ToolContext, ToolError, hookimpl, tool


@tool
async def brew_tea(
    ctx: ToolContext, herb: Annotated[str, Field(min_length=1, description="The herb to use.")]
) -> object:
    """Brew one cup of tea."""
    offers = await ctx.services.discover("example.take-herb@1")
    if not offers:
        raise ToolError("unavailable", "Nobody keeps herbs in this session.")
    taken = await ctx.services.call(offers[0], {"name": herb}, timeout_ms=2_000)
    return {"tea": f"{herb} tea", "cupsLeft": taken["left"]}


@hookimpl
def register_tools():
    return [brew_tea]
