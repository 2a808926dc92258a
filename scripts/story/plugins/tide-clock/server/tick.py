"""An hour passes with every turn; the harbour knows how the water stands."""

from plugin_sdk import FunctionContext, success


async def handle(ctx: FunctionContext) -> object:
    hour = (17 + ctx.logical_turn) % 24
    offers = await ctx.services.discover("tide.level@1")
    tide = (await ctx.services.call(offers[0], {"hour": hour}))["tide"] if offers else "unknown"
    now = {"hour": hour, "tide": tide, "summary": f"It is {hour:02}:00; the tide: {tide}."}
    await ctx.plugin_data.set("clock", "current", now)
    return success(now)
