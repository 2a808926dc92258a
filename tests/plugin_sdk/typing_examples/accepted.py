"""A package's code in the shapes of the SDK; mypy accepts every line in strict mode."""

from collections.abc import Mapping
from typing import Annotated, Any, assert_type

from pydantic import BaseModel, Field

from plugin_sdk import (
    Action,
    ActionContext,
    Choice,
    ChoiceInteraction,
    Effects,
    Event,
    ExtensionContext,
    FormContext,
    FormIssue,
    FunctionContext,
    GuardContext,
    HookContext,
    HookResult,
    JsonValue,
    PluginData,
    PromptQuery,
    PromptSegment,
    Registrar,
    RuntimeOutcome,
    ServiceContext,
    Skip,
    Tool,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    abort,
    action,
    dataset,
    extension,
    form_validator,
    get_tool_content,
    hookimpl,
    is_tool_error,
    proceed,
    service,
    skip,
    success,
    tool,
    with_emitted_events,
    with_model_view,
    with_pending_proposals,
)


@tool(name="lookup-note", read_only=True, idempotent=True, concurrency_safe=True, timeout_ms=5000)
async def lookup_note(
    ctx: ToolContext, key: Annotated[str, Field(description="Key of the note")]
) -> object:
    """Read one saved note."""
    return await ctx.store.get_plugin_data("notes", key)


@tool
def save_note(key: str, text: str, loud: bool = False) -> ToolResult:
    """Save one note."""
    written = with_pending_proposals(
        {"key": key}, [PluginData(namespace="notes", key=key, value={"text": text})]
    )
    told = with_model_view(written, summary="Saved.")
    return with_emitted_events(told, [Event("note.saved", {"loud": loud})])


class Note(BaseModel):
    key: str


@tool(parameters=Note)
def drop_note(note: Note, ctx: ToolContext) -> str:
    """Drop one note."""
    return f"{ctx.plugin_id}: {note.key}"


@tool
def ask() -> Mapping[str, object]:
    """Ask the player."""
    interaction = ChoiceInteraction(
        interaction_id="where",
        prompt="Where to?",
        choices=[Choice(id="a", label="In"), Choice(id="b", label="Out")],
        narrative_template="You go {{selectedLabel}}.",
    )
    return {"created": True, "interaction": interaction}


async def call_directly(ctx: ToolContext) -> None:
    assert_type(save_note("a", text="b"), ToolResult)
    assert_type(await lookup_note(ctx, "a"), object)
    assert_type(drop_note(Note(key="a"), ctx), str)
    assert_type(get_tool_content(save_note("a", "b")), object)


class OpenBag(BaseModel):
    slot: int


class Bag(BaseModel):
    items: list[str]


@action("open-bag")
async def open_bag(ctx: ActionContext, payload: OpenBag) -> Bag:
    stored = await ctx.store.get_plugin_data("bags", str(payload.slot))
    await ctx.store.set_plugin_data("bags", "last", payload.slot)
    return Bag(items=[str(stored)])


async def open_directly(ctx: ActionContext) -> None:
    assert_type(await open_bag(ctx, OpenBag(slot=1)), Bag)
    assert_type(await open_bag(ctx=ctx, payload=OpenBag(slot=1)), Bag)


@service("inventory.items@1", kind="read", offer_to_models=True)
async def items(ctx: ServiceContext, query: OpenBag) -> Bag:
    return Bag(items=[item.key for item in await ctx.plugin_data.list("bags")])


@form_validator("point-buy")
def point_buy(
    ctx: FormContext, values: Mapping[str, object], data: object
) -> str | FormIssue | list[FormIssue] | None:
    return FormIssue("Too many points.", "strength") if values else None


@dataset("npcs")
class Npc(BaseModel):
    name: str


assert_type(Npc(name="Mira"), Npc)


@extension("prompt.segment@1", id="hints", order=10)
async def hints(ctx: ExtensionContext, query: PromptQuery) -> list[PromptSegment]:
    return [PromptSegment(id="a", content=query.player_message, position="pre-history")]


@hookimpl
def register_tools() -> list[Tool[..., Any]]:
    return [lookup_note, save_note, drop_note, ask]


@hookimpl
def register_actions(covel: Registrar) -> list[Action[..., Any]]:
    covel.on_dispose(lambda: None)
    return [open_bag]


def only_notes(call: ToolCall) -> bool:
    return call.name == "save-note"


@hookimpl(order="pre", match=only_notes, timeout_ms=2000)
async def pre_tool_use(ctx: HookContext, call: ToolCall) -> HookResult | None:
    if ctx.signal.cancelled:
        return abort("too late")
    return proceed(replace={"arguments": {**call.arguments, "loud": True}})


async def handle(ctx: FunctionContext) -> RuntimeOutcome:
    rolled = ctx.random.randint(1, 20)
    answer: JsonValue = await ctx.agents.run(contract="narrator@1", brief="Tell it.")
    async for piece in ctx.gateway.stream_text("Tell it."):
        ctx.logger.info(piece, rolled=rolled)
    effects = Effects(events=[Event("check.resolved", {"answer": answer})])
    return success({"rolled": rolled}, effects=effects, completion="done")


async def guard(ctx: GuardContext) -> Skip | None:
    if await ctx.plugin_data.get("state", "done"):
        return skip(reason="already set up", preGameDone=True)
    return None


def explain(error: Exception) -> str:
    if is_tool_error(error):
        assert_type(error, ToolError)
        return error.code
    return str(error)
