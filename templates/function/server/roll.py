from plugin_sdk import Effects, FunctionContext, PluginData, success


async def handle(ctx: FunctionContext) -> object:
    # `payloadSchema` has checked the payload before this runs.
    request = ctx.manual_payload
    rolls = [ctx.random.randint(1, request["sides"]) for _ in range(request["dice"])]
    result = {"rolls": rolls, "total": sum(rolls)}
    return success(
        result,
        effects=Effects(plugin_data=[PluginData(namespace="rolls", key="last", value=result)]),
    )
