"""`suspend`: stop the run until the player has answered (seed: suspend)."""

from typing import Annotated

from pydantic import Field

from covel_host.tools.builtin.form_input import FieldInput
from covel_host.tools.builtin.tool_input import ToolInput
from plugin_sdk.results import with_model_view
from plugin_sdk.rules.suspend_fields import compile_resume_schema
from plugin_sdk.tools import tool


class SuspendInput(ToolInput):
    """What is asked."""

    reason: Annotated[str, Field(min_length=1, description="Shown to the player; be short.")]
    fields: Annotated[
        list[FieldInput], Field(min_length=1, description="What the player is to answer.")
    ]


@tool(
    name="suspend",
    description=(
        "Stop here until the player has answered, then go on with the answer. Use it when the "
        "task cannot be finished without it; calls after it in the same reply are not executed."
    ),
    parameters=SuspendInput,
)
async def suspend(asked: SuspendInput) -> object:
    """The marker of a suspension; only a success of this very tool suspends a run.

    Raises:
        ToolValidationError: a field that no answer could satisfy; `details` names each problem.
    """
    schema = compile_resume_schema([field.given() for field in asked.fields])
    return with_model_view(
        {"_covelSuspend": True, "reason": asked.reason, "resumeSchema": schema},
        summary="Waiting for the player's answer.",
    )
