"""Writes down every ringing of the bell."""

from plugin_sdk import FunctionContext, success


async def handle(ctx: FunctionContext) -> object:
    assert ctx.trigger_event is not None
    rung = ctx.trigger_event.data
    await ctx.plugin_data.set("bells", f"turn-{ctx.logical_turn}", rung)
    return success(rung)
