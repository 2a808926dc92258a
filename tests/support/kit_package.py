"""A package of every kind of function that the author's kit calls."""

from pathlib import Path
from textwrap import dedent

MANIFEST = """
---
description: A market stall.
contributes:
  tools: [price, ask-name]
  actions: [sum, break]
  commands:
    - name: sum
      description: Add prices up.
      action: sum
  services: [stall.prices@1]
  forms: [polite]
  settings:
    - { key: currency, type: text, label: Currency, default: crown }
  datasets:
    prices:
      schema: ./price.json
      ops: [set]
      description: Prices by thing.
    names:
      schema: ./any.json
      ops: [set]
      description: What was counted.
  events:
    - topic: stall.sold
      description: Something was sold.
      schema: ./any.json
---
"""
SELL = """
---
description: Sells one thing.
schedule:
  trigger: { type: manual }
agent:
  loop: { maxSteps: 4 }
  tools:
    plugin: [price, ask-name]
    builtin: [runtime-done, suspend, emit-event]
---
Sell one thing.
"""
COUNT = """
---
description: Counts what is there.
type: function
schedule:
  trigger: { type: manual }
guard: ../../server/guard.py
function:
  handler: ../../server/count.py
---
"""
FOLLOW = """
---
description: Notes what was sold.
type: function
schedule:
  background: true
  trigger: { type: event, topic: stall.sold }
function:
  handler: ../../server/follow.py
---
"""
INDEX = """
from plugin_sdk import *
from plugin_sdk import action, form_validator, hookimpl, service, tool
from plugin_sdk.interactions import FormField, FormInteraction


@tool
async def price(ctx: ToolContext, thing: str, crowns: int) -> object:
    "Set a price."
    before = await ctx.store.get_plugin_data("prices", thing)
    return with_pending_proposals(
        {
            "before": before,
            "chance": ctx.random.randint(1, 1000),
            "at": ctx.clock.now().isoformat(),
        },
        [PluginData(namespace="prices", key=thing, value={"crowns": crowns})],
    )


@tool
def ask_name(ctx: ToolContext) -> object:
    "Ask the player's name."
    form = FormInteraction(
        interaction_id="name",
        title="Who buys?",
        submit_label="Buy",
        fields=[FormField(type="text", name="name", label="Name", required=True)],
        narrative_template="My name is {{name}}.",
        validation={"name": "polite"},
    )
    return {"interaction": form.model_dump(by_alias=True, exclude_none=True)}


@action("sum")
async def add_up(ctx: ActionContext) -> dict[str, int]:
    prices = [row.value["crowns"] for row in await ctx.store.list_plugin_data("prices")]
    await ctx.store.set_plugin_data("prices", "all", {"crowns": sum(prices)})
    return {"total": sum(prices)}


@action("break")
async def break_down(ctx: ActionContext) -> object:
    raise ToolError("conflict", "The stall is closed.")


@service("stall.prices@1", kind="read")
async def prices(ctx: ServiceContext, query: dict[str, str]) -> list[str]:
    return [row.key for row in await ctx.plugin_data.list("prices")]


@form_validator("polite")
def polite(ctx: FormContext, values, data):
    return FormIssue("Say a real name.", field="name") if values["name"] == "x" else None


@hookimpl
def register_tools():
    return [price, ask_name]


@hookimpl
def register_actions():
    return [add_up, break_down]


@hookimpl
def register_services():
    return [prices]


@hookimpl
def register_form_validators():
    return [polite]
"""
GUARD = """
from plugin_sdk import GuardContext, skip


def guard(ctx: GuardContext) -> object:
    return skip() if ctx.manual_payload == "skip" else None
"""
COUNTING = """
from plugin_sdk import FunctionContext, success


async def handle(ctx: FunctionContext) -> object:
    if ctx.manual_payload == "fail":
        raise ValueError("no prices")
    prices = await ctx.plugin_data.list("prices")
    await ctx.plugin_data.set("names", "count", len(prices))
    return success({"count": len(prices), "currency": ctx.user_settings["currency"]})
"""
FOLLOWING = """
from plugin_sdk import FunctionContext, success


async def handle(ctx: FunctionContext) -> object:
    await ctx.plugin_data.set("names", "sold", ctx.trigger_event.data["thing"])
    return success()
"""
FILES = {
    "PLUGIN.md": MANIFEST,
    "price.json": '{"type": "object", "required": ["crowns"]}',
    "any.json": "{}",
    "runtimes/sell/RUNTIME.md": SELL,
    "runtimes/count/RUNTIME.md": COUNT,
    "runtimes/follow/RUNTIME.md": FOLLOW,
    "server/index.py": INDEX,
    "server/guard.py": GUARD,
    "server/count.py": COUNTING,
    "server/follow.py": FOLLOWING,
}


def write_stall(folder: Path) -> Path:
    """The package `stall` in `folder`."""
    package = folder / "stall"
    for name, text in FILES.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip(), encoding="utf-8")
    return package
