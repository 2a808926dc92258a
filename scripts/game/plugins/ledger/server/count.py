from plugin_sdk import FunctionContext, success


async def handle(ctx: FunctionContext) -> object:
    seen = await ctx.plugin_data.get("counts", "turns") or {"count": 0}
    await ctx.plugin_data.set("counts", "turns", {"count": seen["count"] + 1})
    return success()
