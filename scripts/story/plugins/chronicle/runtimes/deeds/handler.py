"""Keeps one line for every turn."""

from plugin_sdk import FunctionContext, success


async def handle(ctx: FunctionContext) -> object:
    counted = await ctx.tools.call("count-words", {"text": ctx.inputs["story"]["value"]})
    line = {"said": ctx.player_message or "", "words": counted["words"]}
    await ctx.plugin_data.set("deeds", f"turn-{ctx.logical_turn}", line)
    return success(line)
