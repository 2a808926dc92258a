from typing import Annotated

from pydantic import BaseModel, Field

from plugin_sdk import ServiceContext, ToolError, hookimpl, service


class Query(BaseModel):
    prefix: str = Field("", description="How the herb's name begins; nothing for all.")


class Herb(BaseModel):
    name: str
    left: int


class Taking(BaseModel):
    name: Annotated[str, Field(min_length=1, max_length=40)]
    count: Annotated[int, Field(ge=1, le=100)] = 1


@service("example.herbs@1", kind="read", offer_to_models=True)
async def herbs(ctx: ServiceContext, query: Query) -> list[Herb]:
    """List the herbs that are left."""
    rows = await ctx.plugin_data.list("herbs")
    named = [Herb(name=row.key, left=row.value["left"]) for row in rows]
    return [herb for herb in named if herb.name.startswith(query.prefix) and herb.left]


@service("example.take-herb@1", kind="write")
async def take_herb(ctx: ServiceContext, taking: Taking) -> Herb:
    """Take herbs out of the store; what is taken belongs to the caller's commit."""
    record = await ctx.plugin_data.get("herbs", taking.name) or {"left": 0}
    left = record["left"] - taking.count
    if left < 0:
        raise ToolError("conflict", f"Only {record['left']} of {taking.name!r} are left.")
    await ctx.plugin_data.set("herbs", taking.name, {"left": left})
    return Herb(name=taking.name, left=left)


@hookimpl
def register_services():
    return [herbs, take_herb]
