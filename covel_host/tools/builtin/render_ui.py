"""`render-ui`: a block of interface parts in the conversation (seed: render-ui)."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from covel_host.tools.builtin.tool_input import ToolInput
from plugin_sdk.errors import (
    FIX_FIELDS_HINT,
    FieldProblem,
    ToolValidationError,
    problems_message,
)
from plugin_sdk.results import with_model_view
from plugin_sdk.tools import tool
from plugin_sdk.wire import UiPartStatus


class RetryInput(ToolInput):
    """How often a part was tried."""

    count: int
    last_error: str | None = None


class PartInput(ToolInput):
    """One part."""

    id: Annotated[str, Field(min_length=1, description="Unique in the block.")]
    type: Annotated[str, Field(min_length=1, description="The component that shows the part.")]
    status: UiPartStatus
    content: Annotated[JsonValue, Field(description="What the component shows.")]
    retry: RetryInput | None = None


class BlockInput(ToolInput):
    """The block as a model writes it."""

    parts: Annotated[list[PartInput], Field(min_length=1)]
    layout: Literal["stream", "split", "overlay"] | None = None


@tool(
    name="render-ui",
    description=(
        "Show a block of parts in the conversation, such as text, pictures, cards and audio "
        "together; each part has a state of its own. It appears when the turn ends."
    ),
    parameters=BlockInput,
)
async def render_ui(block: BlockInput) -> object:
    """The block under `ui`.

    Raises:
        ToolValidationError: two parts of one ID.
    """
    _refuse_repeated(block.parts)
    # Content may be null, which is not the same as a part without content.
    parts = [{**part.given(), "content": part.content} for part in block.parts]
    shown = {"parts": parts} if block.layout is None else {"parts": parts, "layout": block.layout}
    return with_model_view(
        {"ui": [shown]}, summary="The block is shown to the player when this turn ends."
    )


def _refuse_repeated(parts: Sequence[PartInput]) -> None:
    ids = [part.id for part in parts]
    problems = [
        FieldProblem(f"parts.{index}.id", f"{part_id!r} is the ID of another part already.")
        for index, part_id in enumerate(ids)
        if part_id in ids[:index]
    ]
    if problems:
        raise ToolValidationError(
            problems_message(problems), hint=FIX_FIELDS_HINT, details=problems
        )
