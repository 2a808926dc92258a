"""A host opened for one MCP client, until the client or a signal ends it."""

import asyncio
import contextlib
import importlib.util
import shlex
import signal
import sys
from collections.abc import Awaitable, Sequence
from typing import TextIO

import click

from covel_host.base.errors import HostError
from covel_host.base.json_text import dump_json
from covel_host.catalog.catalog import Catalog
from covel_host.cli.event_loop import run_loop
from covel_host.cli.in_session import play, read_packages, stored_session
from covel_host.cli.output import counted, note, safe_text
from covel_host.cli.streams import input_apart
from covel_host.host import Host
from covel_host.mcp_bridge.calls import BridgeCalls
from covel_host.mcp_bridge.served_tools import ServedTool, served_tools
from covel_host.opening import load_catalog
from covel_host.settings import Settings
from covel_host.turn.admission import loaded_generation
from covel_host.turn.sessions import active_session

EXTRA = "covel-host[mcp]"
"""What is installed with the library of the protocol."""


def check_library() -> None:
    """Refuse to begin without the library of the protocol.

    Raises:
        HostError: `extra-missing`, with the command that installs it.
    """
    if importlib.util.find_spec("mcp") is None:
        python = shlex.quote(sys.executable)
        raise HostError(
            "`covel mcp` needs the Python package 'mcp', which is not installed.",
            code="extra-missing",
            hint=f"Install it: {python} -m pip install {shlex.quote(EXTRA)}",
        )


def serve_packages(
    settings: Settings, plugin_ids: Sequence[str], *, session_id: str | None, output: TextIO
) -> int:
    """Serve the tools of these packages on `output` and standard input; the exit code.

    Raises:
        HostError: a package or the session is not there, cannot be used, or there is no tool.
    """
    others: tuple[str, ...] = ()
    if session_id is not None:
        others = stored_session(settings, session_id).active_packages
    catalog = read_packages(settings, plugin_ids, others)
    with input_apart() as read_from:
        play(
            settings,
            catalog,
            lambda host: _serve(host, plugin_ids, session_id, (read_from, output.fileno())),
            # Standard input is the client's: nobody can be asked on it.
            may_ask=False,
            check=lambda loaded: _tools(loaded, plugin_ids),
        )
    return 0


def print_tools(settings: Settings, plugin_ids: Sequence[str], *, output: TextIO) -> int:
    """Print the tools of these packages as a client is told of them; the exit code.

    Raises:
        HostError: as `serve_packages`.
    """
    from covel_host.mcp_bridge.server import listed_tools

    catalog = read_packages(settings, plugin_ids)
    loaded = run_loop(_loaded(settings, catalog))
    listed = listed_tools(_tools(loaded, plugin_ids))
    shown = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed]
    click.echo(dump_json({"tools": shown}), file=output)
    return 0


async def _loaded(settings: Settings, catalog: Catalog) -> Catalog:
    """The loaded catalog; its packages have been ended, what they registered can still be read."""
    loaded = await load_catalog(catalog, settings, catalog.packages)
    await loaded.close()
    return loaded


async def _serve(
    host: Host, plugin_ids: Sequence[str], session_id: str | None, descriptors: tuple[int, int]
) -> None:
    from covel_host.mcp_bridge.server import serve

    if session_id is not None:
        await active_session(host.ports.store, session_id)
    tools = _tools(host.catalog, plugin_ids)
    calls = BridgeCalls(
        host,
        tools,
        session_id=session_id,
        packages=plugin_ids,
        on_session=lambda made: note(f"The calls are made in the new session {made}."),
    )
    where = "a new session" if session_id is None else f"session {session_id}"
    names = ", ".join(plugin_ids)
    note(safe_text(f"Serving {counted(len(tools), 'tool')} of {names} over MCP, in {where}."))
    if sys.stderr.isatty():
        note("A client speaks on standard input; Ctrl-C ends this.")
    read_from, write_to = descriptors
    await _until_stopped(serve(tools, calls, read_from=read_from, write_to=write_to))


def _tools(catalog: Catalog, plugin_ids: Sequence[str]) -> tuple[ServedTool, ...]:
    for plugin_id in plugin_ids:
        loaded_generation(plugin_id, catalog)
    tools = served_tools(catalog, plugin_ids)
    if not tools:
        raise HostError(
            f"There is nothing to serve: {', '.join(plugin_ids)} has no tool.",
            code="no-tools",
            hint="Tools are listed under `contributes.tools` in PLUGIN.md. See: covel tools",
        )
    return tools


async def _until_stopped(serving: Awaitable[None]) -> None:
    """Await `serving` until it ends, or until the process is asked to end: then it is cancelled.

    A further signal changes nothing: closing has a budget of its own.
    """
    task = asyncio.current_task()
    assert task is not None
    stop = _Stop(task)
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError):
        # Where the loop has no signals, Ctrl-C still ends the command.
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.ask)
    try:
        await serving
    except asyncio.CancelledError:
        if not stop.is_asked:
            raise
        task.uncancel()
    finally:
        stop.is_over = True


class _Stop:
    def __init__(self, task: "asyncio.Task[object]") -> None:
        self._task = task
        self.is_asked = False
        self.is_over = False

    def ask(self) -> None:
        """Cancel the task, once and while it serves."""
        if not (self.is_asked or self.is_over):
            self.is_asked = True
            self._task.cancel()
