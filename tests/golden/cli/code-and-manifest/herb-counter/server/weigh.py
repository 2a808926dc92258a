from plugin_sdk import tool


@tool
def weigh_herbs(basket: str) -> object
    """Weigh the herbs in a basket."""
    return 0
