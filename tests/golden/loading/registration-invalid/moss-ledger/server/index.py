from plugin_sdk import hookimpl, tool


@tool
def log_herb(herb: str) -> object:
    """Note one herb."""
    return {"noted": herb}


@hookimpl
def register_tools():
    return log_herb
