from plugin_sdk import FunctionContext, skipped, success, suspended

PAID = {"type": "string", "enum": ["paid", "refused"], "title": "The toll"}


async def handle(ctx: FunctionContext) -> object:
    if ctx.resumed_from_suspension_id is not None:
        await ctx.plugin_data.set("tolls", "night", ctx.resume_data)
        return success(ctx.resume_data)
    if ctx.logical_turn != 14:
        return skipped("Nobody is held up.")
    return suspended(
        "A chain is drawn across the quay.",
        {"type": "object", "properties": {"toll": PAID}, "required": ["toll"]},
    )
