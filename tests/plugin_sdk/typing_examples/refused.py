"""Mistakes an author can make; each line marked so is an error to mypy."""

from plugin_sdk import FunctionContext, GuardContext, PluginData, ToolError, tool


@tool
def save_note(key: str) -> str:
    """Save one note."""
    return key


save_note(key=1)  # wrong
save_note("a", "b")  # wrong
tool(name=3)  # wrong
tool(timeout="5s")  # wrong
ToolError("not_found", "x")  # wrong
PluginData(namespace="a", key="b", value=object())  # wrong


async def handle(ctx: FunctionContext, guard: GuardContext) -> None:
    await guard.tools.call("save-note", {})  # wrong
    ctx.locale = "en"  # wrong
    len(ctx.store.get_plugin_data("a", "b"))  # wrong
