from plugin_sdk import hookimpl


@hookimpl
def register_tools():
    return []
