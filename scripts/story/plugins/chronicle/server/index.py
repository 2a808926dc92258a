"""A tool that the line of a turn is made with."""

from plugin_sdk import hookimpl, tool


@tool(name="count-words", stages_writes=False)
async def count_words(text: str) -> object:
    """Count the words of a text."""
    return {"words": len(text.split())}


@hookimpl
def register_tools() -> list[object]:
    return [count_words]
