"""The tide as a service, and a harbour master who watches what is written."""

from pydantic import BaseModel, Field

from plugin_sdk import (
    HookContext,
    HookResult,
    ProposalCommit,
    ServiceContext,
    TurnStart,
    TurnStop,
    abort,
    hookimpl,
    service,
)


class Hour(BaseModel):
    hour: int = Field(ge=0, le=23, description="Hour of the day")


class Tide(BaseModel):
    tide: str


@service("tide.level@1", kind="read", offer_to_models=True)
async def tide_level(ctx: ServiceContext, at: Hour) -> Tide:
    """Say how the water stands at an hour."""
    return Tide(tide="ebb" if (at.hour // 6) % 2 else "flood")


@hookimpl
async def turn_start(ctx: HookContext, turn: TurnStart) -> HookResult | None:
    if "burn the harbour" in turn.player_message.lower():
        return abort("The harbour is not to be burned.")
    return None


@hookimpl
async def pre_state_commit(ctx: HookContext, commit: ProposalCommit) -> HookResult | None:
    return None


@hookimpl
async def turn_stop(ctx: HookContext, turn: TurnStop) -> None:
    return None


@hookimpl
def register_services() -> list[object]:
    return [tide_level]
