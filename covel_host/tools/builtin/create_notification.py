"""`create-notification`: a short message in the conversation (seed: create-notification)."""

from typing import Annotated, Literal

from pydantic import Field

from plugin_sdk.results import with_model_view
from plugin_sdk.tools import tool
from plugin_sdk.values import JsonObject


def alert_block(level: str, title: str, message: str, *, part_id: str) -> JsonObject:
    """The interface block that shows one notification."""
    content: JsonObject = {"level": level, "title": title, "message": message}
    return {"parts": [{"id": part_id, "type": "Alert", "status": "success", "content": content}]}


@tool(
    name="create-notification",
    description=(
        "Show the player a short message: something changed, an item was gained, an event came. "
        "It appears in the conversation when the turn ends."
    ),
)
async def create_notification(
    level: Literal["info", "success", "warning", "error"],
    title: Annotated[str, Field(description="A few words.")],
    message: Annotated[str, Field(description="One or two sentences.")],
) -> object:
    """The message as an interface block."""
    return with_model_view(
        {"ui": [alert_block(level, title, message, part_id="notification-1")]},
        summary="The notification is shown to the player when this turn ends.",
    )
