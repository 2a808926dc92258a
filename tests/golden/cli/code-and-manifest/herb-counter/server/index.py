from plugin_sdk import hookimpl, tool

from .weigh import weigh_herbs


@tool(name="count-herb")
async def count_herbs(basket: str) -> object:
    """Count the herbs in a basket."""
    return len(basket)


@hookimpl
def register_tools():
    return [count_herbs, weigh_herbs]


async def pre_tool_use(ctx, tool_call):
    return None


@hookimpl
async def pre_tool_uses(ctx, call):
    return None
