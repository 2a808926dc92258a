"""Which packages a session begins with."""

import asyncio
from pathlib import Path

import pytest

from covel_host.store.sessions import require_session
from covel_host.turn.errors import RequestRefused
from tests.support.casts import cast, function
from tests.support.hosts import opened

MANUAL = {"schedule": {"trigger": {"type": "manual"}}}


def begun(home: Path, *packages: str) -> tuple[str, ...]:
    """The packages of a new session."""

    async def main() -> tuple[str, ...]:
        async with opened(home) as host:
            session_id = await host.begin_session(packages)
            return await host.ports.store.read(
                lambda reading: require_session(reading, session_id).active_packages
            )

    return asyncio.run(main())


def package(home: Path, plugin_id: str, *, defines: tuple[str, ...] = (), **root: object) -> None:
    contracts = {name: {"schema": "./any.json"} for name in defines}
    cast(home, plugin_id, {"": function("return success()", **MANUAL)}, contracts=contracts, **root)


def test_core_packages_and_providers_come_unasked_and_others_do_not(tmp_path: Path) -> None:
    package(tmp_path, "clock", kind="core")
    package(tmp_path, "sky", provides=["weather@1"], defines=("weather@1",))
    package(tmp_path, "boat", requires=["weather@1"])
    package(tmp_path, "fish")
    assert begun(tmp_path) == ("clock",)
    assert begun(tmp_path, "boat") == ("boat", "clock", "sky")


def test_a_package_without_a_provider_is_refused_with_the_reason(tmp_path: Path) -> None:
    package(tmp_path, "boat", requires=["weather@1"])
    with pytest.raises(RequestRefused) as refused:
        begun(tmp_path, "boat")
    assert refused.value.code == "package-not-active"
    assert "weather@1" in refused.value.message


def test_a_package_with_errors_is_refused_and_a_core_one_is_left_out(tmp_path: Path) -> None:
    for plugin_id, kind in (("boat", "plugin"), ("clock", "core")):
        folder = tmp_path / "plugins" / plugin_id
        folder.mkdir(parents=True)
        (folder / "PLUGIN.md").write_text(f"---\ndescription: 1\nkind: {kind}\n---\n")
    assert begun(tmp_path) == ()
    with pytest.raises(RequestRefused) as refused:
        begun(tmp_path, "boat")
    assert refused.value.code == "package-not-active"
    assert refused.value.hint == "See: covel plugins show boat"
