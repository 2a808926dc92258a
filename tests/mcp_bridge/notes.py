"""A package with tools of every kind, which also print."""

from pathlib import Path

from tests.support.packages import write_package

NOTES = '''
import os

def say_aloud():
    print("keeping a note")
    os.write(1, b"written past Python\\n")

@tool(name="keep")
async def keep(key: str, value: object = None) -> object:
    """Keep a note."""
    say_aloud()
    note = PluginData(namespace="notes", key=key, value=value)
    return with_pending_proposals({"kept": key}, [note])

@tool(name="recall", read_only=True, idempotent=True, concurrency_safe=True)
async def recall(ctx: ToolContext, key: str) -> object:
    """Read a note."""
    return {"found": await ctx.store.get_plugin_data("notes", key)}

@tool(name="fail")
async def fail() -> object:
    """Fail."""
    raise ToolError("ambiguous", "There are two of them.", hint="Name one.")

@tool(name="list-all", read_only=True)
async def list_all() -> object:
    """Give what is no object."""
    return ["a", "b"]

@tool(name="brief", read_only=True)
async def brief() -> object:
    """Show a model less than code."""
    return with_model_view({"whole": "x" * 100}, summary="Much.")

@tool(name="wait")
async def wait(ctx: ToolContext) -> object:
    """Wait to be cancelled."""
    await asyncio.Event().wait()
'''
TOOLS = ["keep", "recall", "fail", "list-all", "brief", "wait"]


def write_notes(folder: Path) -> None:
    """The package `notes` in this folder of packages."""
    write_package(folder / "notes", code=NOTES, tools=TOOLS)
