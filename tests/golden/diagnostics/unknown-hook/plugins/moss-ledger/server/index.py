from plugin_sdk import hookimpl, tool


@tool
async def log_herb(name: str) -> object:
    """Note one gathered herb."""
    return {"noted": name}


@hookimpl
def register_tools():
    return [log_herb]


@hookimpl
async def pre_tool_call(ctx, call):
    return None
