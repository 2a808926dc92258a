from typing import Annotated

from pydantic import BaseModel, Field

from plugin_sdk import (
    ActionContext,
    Event,
    ToolContext,
    action,
    hookimpl,
    tool,
    with_emitted_events,
)

from .rules import checked

Difficulty = Annotated[int, Field(ge=1, le=30, description="5 is easy, 15 hard, 25 heroic.")]


@tool
def check_skill(
    ctx: ToolContext,
    skill: Annotated[str, Field(max_length=40, description="What is tried, in a word or two.")],
    difficulty: Difficulty,
) -> object:
    """Roll whether something risky works."""
    result = checked(ctx.random, skill, difficulty)
    # The event starts `luck`, in the same turn and commit.
    return with_emitted_events(result, [Event("dice.checked", result)])


class Check(BaseModel):
    difficulty: Difficulty
    skill: list[str] = []


@action("check")
async def check(ctx: ActionContext, payload: Check) -> object:
    """Roll for a player, beside the story."""
    result = checked(ctx.random, " ".join(payload.skill) or "luck", payload.difficulty)
    await ctx.emit(Event("dice.checked", result))
    outcome = "success" if result["success"] else "failure"
    return {"message": f"{result['skill']}: {result['rolled']}, {outcome}.", **result}


@hookimpl
def register_tools():
    return [check_skill]


@hookimpl
def register_actions():
    return [check]
