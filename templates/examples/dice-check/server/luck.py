from plugin_sdk import FunctionContext, success


async def handle(ctx: FunctionContext) -> object:
    luck = await ctx.plugin_data.get("luck", "story") or {"won": 0, "lost": 0}
    luck["won" if ctx.trigger_event.data["success"] else "lost"] += 1
    await ctx.plugin_data.set("luck", "story", luck)
    return success(luck)
