from plugin_sdk import FinishedToolCall, HookContext, HookResult, ToolCall, abort, hookimpl, proceed

LIMIT = 4_000


def is_long(call: ToolCall) -> bool:
    return sum(len(str(value)) for value in call.arguments.values()) > LIMIT


@hookimpl(order="pre", match=is_long, timeout_ms=2000)
async def pre_tool_use(ctx: HookContext, call: ToolCall) -> HookResult | None:
    # The model reads the reason and can do better. Without an answer the call goes on.
    return abort(f"The arguments of {call.name} are longer than {LIMIT} characters. Shorten them.")


@hookimpl
async def post_tool_use(ctx: HookContext, call: FinishedToolCall) -> HookResult | None:
    # What is not there will not be there in the next step: the loop ends.
    if call.error is not None and call.error.code == "unavailable":
        return proceed(replace={"terminate": True})
    return None
