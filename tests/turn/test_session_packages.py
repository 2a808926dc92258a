"""Packages put into a session and taken out again, as far as they go together."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from covel_host.host import Host
from covel_host.store.dimensions import put_dimension
from covel_host.store.records import DimensionRecord
from covel_host.store.sessions import require_session
from covel_host.turn.errors import RequestRefused
from covel_host.turn.session_forks import fork_from, take_snapshot
from covel_host.turn.session_packages import PackagesChanged, add_package, remove_package
from tests.support.hosts import opened

Value = TypeVar("Value")


def package(home: Path, name: str, **fields: Any) -> None:
    """A package without code below `home/plugins`."""
    folder = home / "plugins" / name
    folder.mkdir(parents=True)
    manifest = json.dumps({"description": "For tests.", **fields})
    (folder / "PLUGIN.md").write_text(f"---\n{manifest}\n---\n", encoding="utf-8")


def played(home: Path, body: Callable[[Host, str], Awaitable[Value]], *packages: str) -> Value:
    """What `body` gives on a host with a session that has those packages."""

    async def main() -> Value:
        async with opened(home) as host:
            return await body(host, await host.open_session(packages))

    return asyncio.run(main())


async def add(host: Host, session_id: str, plugin_id: str) -> PackagesChanged:
    return await add_package(host.ports, session_id, plugin_id, catalog=host.catalog)


async def remove(host: Host, session_id: str, plugin_id: str) -> PackagesChanged:
    return await remove_package(host.ports, session_id, plugin_id, catalog=host.catalog)


def test_a_default_provider_steps_aside_for_the_package_that_is_added(tmp_path: Path) -> None:
    package(tmp_path, "plain", provides=[{"contract": "telling@1", "default": True}])
    package(tmp_path, "grand", provides=["telling@1"])

    async def body(host: Host, session_id: str) -> PackagesChanged:
        return await add(host, session_id, "grand")

    changed = played(tmp_path, body, "plain")
    assert (changed.added, changed.removed) == (("grand",), ("plain",))
    assert [(name, why.code) for name, why in changed.rejected] == [("plain", "default-replaced")]
    assert changed.session.active_packages == ("grand",)


def test_what_conflicts_with_a_package_of_the_session_is_not_added(tmp_path: Path) -> None:
    package(tmp_path, "first", provides=["telling@1"])
    package(tmp_path, "second", conflicts=["telling@1"])

    async def body(host: Host, session_id: str) -> str:
        with pytest.raises(RequestRefused) as refused:
            await add(host, session_id, "second")
        session = await host.ports.store.read(lambda reading: require_session(reading, session_id))
        assert (session.active_packages, session.revision) == (("first",), 0)
        return refused.value.code

    assert played(tmp_path, body, "first") == "package-not-active"


def test_a_core_package_comes_along_until_it_is_taken_out(tmp_path: Path) -> None:
    package(tmp_path, "hearth", kind="core")
    for name in ("one", "two"):
        package(tmp_path, name)

    async def body(host: Host, session_id: str) -> list[tuple[str, ...]]:
        changes = [
            await add(host, session_id, "one"),
            await remove(host, session_id, "hearth"),
            await add(host, session_id, "two"),
            await add(host, session_id, "hearth"),
        ]
        return [one.session.active_packages for one in changes]

    assert played(tmp_path, body) == [
        ("one", "hearth"),
        ("one",),
        ("one", "two"),
        ("one", "two", "hearth"),
    ]


def test_the_provider_of_dimensions_stays_while_there_are_any(tmp_path: Path) -> None:
    package(tmp_path, "tides", provides=["world.dimensions@1"])
    package(tmp_path, "others", provides=["world.dimensions@1"])

    async def body(host: Host, session_id: str) -> list[str]:
        gone = await remove(host, session_id, "tides")
        assert gone.has_changed
        await add(host, session_id, "tides")
        record = DimensionRecord(
            session_id=session_id,
            dimension_id="tide",
            plugin_id="tides",
            version=1,
            definition={"name": "Tide", "schema": {"type": "integer"}},
            value=1,
        )
        await host.ports.store.transaction(
            lambda transaction: put_dimension(transaction, record, revision=1)
        )
        codes = []
        for change, name in ((remove, "tides"), (add, "others")):
            with pytest.raises(RequestRefused) as refused:
                await change(host, session_id, name)
            codes.append(refused.value.code)
        return codes

    assert played(tmp_path, body, "tides") == ["dimension-provider-required"] * 2


def test_an_older_snapshot_has_the_packages_of_then(tmp_path: Path) -> None:
    for name in ("one", "two"):
        package(tmp_path, name)

    async def body(host: Host, session_id: str) -> tuple[tuple[str, ...], ...]:
        taken = await take_snapshot(host.ports, session_id)
        await add(host, session_id, "two")
        await remove(host, session_id, "one")
        then = await fork_from(host.ports, session_id, snapshot_id=taken.snapshot_id)
        now = await fork_from(host.ports, session_id)
        return then.active_packages, now.active_packages

    assert played(tmp_path, body, "one") == (("one",), ("two",))


def test_a_package_with_errors_is_not_added_and_not_thrown_out(tmp_path: Path) -> None:
    package(tmp_path, "good")
    package(tmp_path, "late")
    package(tmp_path, "more")

    async def body(host: Host, session_id: str) -> None:
        await add(host, session_id, "late")

    played(tmp_path, body, "good")
    (tmp_path / "plugins" / "late" / "PLUGIN.md").write_text("---\nname: 3\n: [\n---\n")

    async def then(host: Host, session_id: str) -> PackagesChanged:
        with pytest.raises(RequestRefused):
            await add(host, session_id, "late")
        return await add(host, session_id, "more")

    changed = played(tmp_path, then, "good", "late")
    assert changed.session.active_packages == ("good", "late", "more")
    assert changed.removed == ()
