"""What commands that work in a session have in common: its packages, leave, a host."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import TypeVar

import click

from covel_host.catalog.building import read_catalog
from covel_host.catalog.catalog import Catalog
from covel_host.catalog.discovery import discover
from covel_host.cli.approval import with_approval
from covel_host.cli.event_loop import run_loop
from covel_host.cli.targets import package_not_found, say_hidden
from covel_host.host import Host
from covel_host.models.selector import ModelSelector
from covel_host.opening import load_catalog, store_options
from covel_host.settings import Settings
from covel_host.store.reader import StoreReader
from covel_host.store.records import SessionRecord
from covel_host.store.sessions import require_session
from covel_host.store.transaction import Reading

Value = TypeVar("Value")


def read_store(settings: Settings, body: Callable[[Reading], Value]) -> Value:
    """What `body` reads from one committed state, beside any writer.

    Raises:
        StoreError: the database cannot be read.
    """
    reader = StoreReader.open(store_options(settings))
    try:
        return reader.read_now(body)
    finally:
        reader.close()


def stored_session(settings: Settings, session_id: str) -> SessionRecord:
    """The session of that ID.

    Raises:
        SessionNotFoundError: there is none.
    """
    return read_store(settings, lambda reading: require_session(reading, session_id))


def read_packages(settings: Settings, named: Iterable[str], others: Iterable[str] = ()) -> Catalog:
    """A catalog of the packages `named`, which must be there, and of those of `others` that are.

    Raises:
        NoPackage: there is no package of a named ID.
    """
    discovery = discover(settings.folders)
    wanted = tuple(dict.fromkeys(named))
    say_hidden(discovery, wanted)
    known = [found.plugin_id for found in discovery.packages]
    for plugin_id in wanted:
        if plugin_id not in known:
            raise package_not_found(plugin_id, known, disabled=discovery.disabled)
    among = {*wanted, *others}
    found = tuple(found for found in discovery.packages if found.plugin_id in among)
    return read_catalog(replace(discovery, packages=found))


def play(
    settings: Settings,
    catalog: Catalog,
    body: Callable[[Host], Awaitable[Value]],
    *,
    may_ask: bool,
    check: Callable[[Catalog], object] = lambda loaded: None,
    selector: ModelSelector | None = None,
) -> Value:
    """What `body` gives on a host whose packages are those of `catalog`, as far as they may run.

    `selector` answers every model call. `check` refuses what cannot run before a database is made
    for it.

    Raises:
        click.Abort: a person ended it.
    """
    for state in catalog.packages.values():
        settings = with_approval(state, settings, may_ask=may_ask)

    async def played() -> Value:
        loaded = await load_catalog(catalog, settings, catalog.packages)
        try:
            check(loaded)
            host = await Host.open(settings, load=(), selector=selector, catalog=loaded)
        except BaseException:
            await loaded.close()
            raise
        try:
            return await body(host)
        finally:
            await host.close()

    try:
        return run_loop(played())
    except (KeyboardInterrupt, asyncio.CancelledError) as error:
        # Code of a package may cancel every task of the loop, the host's own with them.
        raise click.Abort from error
