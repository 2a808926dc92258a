from plugin_sdk import hookimpl


@hookimpl
def register_actions():
    return []
