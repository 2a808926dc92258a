"""`runtime-done`: an agent says that it is done (seed: runtime-done)."""

from typing import Annotated

from pydantic import Field

from plugin_sdk.tools import tool


@tool(
    name="runtime-done",
    description=(
        "End this run. Call it last, when every needed tool call has succeeded or when there is "
        "nothing to do. It records no data, and the run ends after this reply: no more tool calls, "
        "no further text."
    ),
)
async def runtime_done(
    reason: Annotated[str | None, Field(description="A note for the trace.")] = None,
) -> object:
    """End this run; only a success of this very tool ends the loop."""
    return {"reason": reason} if reason else None
