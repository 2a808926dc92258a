from typing import Annotated

from pydantic import Field

from plugin_sdk import hookimpl, tool


@tool(name="echo-value")
async def echo_value(
    value: Annotated[
        str,
        Field(min_length=1, max_length=80, description="Value to echo (1-80 characters)."),
    ],
) -> object:
    """Echo one short value."""
    return {"ok": True, "value": value}


@hookimpl
def register_tools():
    return [echo_value]
