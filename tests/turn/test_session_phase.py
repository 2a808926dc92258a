"""A session begins in the phase that its packages ask for."""

import asyncio
import json
from pathlib import Path

from covel_host.store.sessions import require_session
from covel_host.turn.world_sessions import WorldSessionRequest
from tests.support.hosts import opened
from tests.worlds.packs import write_pack


def setting_up(home: Path, name: str) -> None:
    folder = home / "plugins" / name
    folder.mkdir(parents=True)
    runtime = {"schedule": {"stage": "setup", "trigger": {"type": "auto"}}}
    manifest = json.dumps({"description": "Sets up.", "runtime": runtime})
    (folder / "PLUGIN.md").write_text(f"---\n{manifest}\n---\nSet it up.\n", encoding="utf-8")


def test_a_session_with_a_setup_runtime_begins_in_setup(tmp_path: Path) -> None:
    setting_up(tmp_path, "starter")
    pack = write_pack(tmp_path / "pack", files={})

    async def main() -> list[str]:
        async with opened(tmp_path) as host:
            made = [
                await host.open_session(["starter"]),
                await host.open_session([]),
                await host.open_session(["gone"]),
                (await host.open_world(WorldSessionRequest(pack=pack))).session.session_id,
                (
                    await host.open_world(WorldSessionRequest(pack=pack, packages=("starter",)))
                ).session.session_id,
            ]
            return [
                host.ports.store.read_now(
                    lambda reading, name=name: require_session(reading, name).phase  # type: ignore[misc]
                )
                for name in made
            ]

    assert asyncio.run(main()) == ["setup", "playing", "playing", "playing", "setup"]
