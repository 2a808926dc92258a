"""A package that offers services and one that uses them, written for a test."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

import yaml

from covel_host.host import Host
from covel_host.store.plugin_data import list_data
from covel_host.turn.admission import ManualRequest
from tests.support.hosts import Played, play

STOCK_ITEMS = "stock.items@1"
STOCK_TAKE = "stock.take@1"

STOCK_HEAD = """
import asyncio

from pydantic import BaseModel, Field

from plugin_sdk import ToolError, hookimpl, service
from plugin_sdk.context import ServiceContext
"""

STOCK = (
    STOCK_HEAD
    + """


class Query(BaseModel):
    prefix: str = ""
    tags: list[str] = []


class Take(BaseModel):
    name: str = Field(min_length=1)
    count: int


class Stand(BaseModel):
    name: str
    count: int
    caller: str


@service("stock.items@1", kind="read", offer_to_models=True)
async def items(ctx: ServiceContext, query: Query) -> list[str]:
    '''List what is in stock.'''
    found = await ctx.plugin_data.list("items")
    return [f"{one.key}={one.value['count']}" for one in found if one.key.startswith(query.prefix)]


@service("stock.take@1", kind="write", offer_to_models=True)
async def take(ctx: ServiceContext, wanted: Take) -> Stand:
    '''Take items out of stock; a negative count puts them in.'''
    current = await ctx.plugin_data.get("items", wanted.name)
    if current is None:
        await ctx.plugin_data.set("items", wanted.name, {"count": 0})
    by = {"op": "increment", "path": "/count", "by": -wanted.count, "min": 0}
    record = await ctx.plugin_data.update("items", wanted.name, [by])
    return Stand(name=wanted.name, count=record["count"], caller=ctx.caller_plugin_id)
"""
)

_STOCK_END = """

@hookimpl
def register_services():
    return [value for value in globals().values() if type(value).__name__ == "Service"]
"""


def write_provider(
    home: Path,
    plugin_id: str = "stock",
    *,
    code: str = "",
    contracts: Sequence[str] = (STOCK_ITEMS, STOCK_TAKE),
    base: str = STOCK,
    **root: Any,
) -> None:
    """A package whose entry is `base` and `code`; every service in it is registered."""
    manifest = {
        "description": "Keeps a stock.",
        "contributes": {"services": list(contracts), **root.pop("contributes", {})},
        **root,
    }
    text = f"---\n{yaml.safe_dump(manifest)}---\n"
    _write(
        home / "plugins" / plugin_id,
        {"PLUGIN.md": text, "server/index.py": base + dedent(code) + _STOCK_END},
    )


def write_agent(
    home: Path,
    plugin_id: str = "trader",
    *,
    services: Sequence[Any] = (STOCK_ITEMS, STOCK_TAKE),
    code: str = "",
    tools: Sequence[str] = (),
    **agent: Any,
) -> None:
    """A package with one manual agent that imports `services`; `code` defines its tools."""
    offered = {"services": list(services), **agent.pop("tools_more", {})}
    manifest = {
        "description": "Trades.",
        "contributes": {"tools": list(tools)},
        "runtime": {
            "schedule": {"trigger": {"type": "manual"}},
            # A system run is held to its failed calls.
            "io": {"visibility": "system"},
            "agent": {"tools": offered, **agent},
        },
    }
    files = {"PLUGIN.md": f"---\n{yaml.safe_dump(manifest)}---\nTrade.\n"}
    if code:
        files["server/index.py"] = _TOOLS_HEAD + dedent(code) + _TOOLS_END
    _write(home / "plugins" / plugin_id, files)


def write_function(
    home: Path, plugin_id: str = "trader", *, handler: str, code: str = "", **root: Any
) -> None:
    """A package with one manual function runtime; `handler` is its module, `code` its tools."""
    function = {"handler": "./server/handler.py", **root.pop("function", {})}
    manifest = {
        "description": "Trades.",
        "runtime": {
            "type": "function",
            "schedule": {"trigger": {"type": "manual"}},
            "function": function,
        },
        **root,
    }
    text = f"---\n{yaml.safe_dump(manifest)}---\n"
    files = {"PLUGIN.md": text, "server/handler.py": _HANDLER_HEAD + dedent(handler)}
    if code:
        files["server/index.py"] = _TOOLS_HEAD + dedent(code) + _TOOLS_END
    _write(home / "plugins" / plugin_id, files)


def trade(home: Path, *replies: Any, target: str = "trader", **request: Any) -> Played:
    """One run of the trader in a session that has the stock, too."""
    request.setdefault("packages", ("stock",))
    return play(home, target, *replies, **request)


def stock_of(host: Host, session_id: str, plugin_id: str = "stock") -> dict[str, Any]:
    """The provider's stored records."""
    return host.ports.store.read_now(
        lambda reading: {
            record.key: record.value
            for record in list_data(reading, session_id, plugin_id, "items")
        }
    )


def request_of(target: str = "trader", **members: Any) -> ManualRequest:
    """A request in a session that has the stock, too."""
    members.setdefault("packages", ("stock",))
    return ManualRequest(target=target, **members)


_TOOLS_HEAD = """
import asyncio
from plugin_sdk import *
from plugin_sdk import hookimpl, tool
from plugin_sdk.context import ToolContext
from plugin_sdk.proposals import *
from plugin_sdk.results import *
"""
_TOOLS_END = """

@hookimpl
def register_tools():
    return [value for value in globals().values() if type(value).__name__ == "Tool"]
"""
_HANDLER_HEAD = """
import asyncio
from plugin_sdk import *
"""


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
