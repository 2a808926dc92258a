"""What an agent's prompt takes from the session: lore by its keys, and the package's own data."""

import asyncio
from pathlib import Path
from typing import Any

import yaml

from covel_host.models.messages import ModelRequest, SystemMessage
from covel_host.store.lorebook import put_lorebook_entry
from covel_host.store.plugin_data import DataKey, put_data
from covel_host.store.records import LorebookOwner, LorebookRecord
from covel_host.turn.admission import ManualRequest
from tests.store.builders import START, at
from tests.support.hosts import opened, played_on
from tests.support.replies import say

ROWS = {"b-first": 0, "a-second": 1, "c-third": 2}


def package(home: Path, **io: Any) -> None:
    folder = home / "plugins" / "demo"
    folder.mkdir(parents=True)
    manifest = {
        "description": "A package of a test.",
        "contributes": {"data": {"notes": {"schema": "./any.json", "version": 1}}},
        "runtime": {"schedule": {"trigger": {"type": "manual"}}, "agent": {}, "io": io},
    }
    (folder / "any.json").write_text("{}")
    (folder / "PLUGIN.md").write_text(f"---\n{yaml.safe_dump(manifest)}---\nThe body.\n")


def lore(entry_id: str, owner: LorebookOwner, **entry: Any) -> LorebookRecord:
    given = {
        "id": entry_id,
        "keys": [],
        "content": f"Lore of {entry_id}.",
        "strategy": "constant",
        "position": "after_plugin",
        "enabled": True,
    }
    return LorebookRecord(
        session_id="",
        owner=owner,
        entry_id=entry_id,
        entry={**given, **entry},
        created_at=START,
        updated_at=START,
    )


WORLD, PLAYER = LorebookOwner(kind="world"), LorebookOwner(kind="player")
OTHER = LorebookOwner(kind="plugin", plugin_id="other")


def asked(home: Path, *entries: LorebookRecord, message: str | None = None) -> ModelRequest:
    """The request that the agent's model gets in a session with that lorebook and `ROWS`."""

    async def main() -> ModelRequest:
        async with opened(home, say("Done.")) as host:
            session_id = await host.open_session(["demo"])

            def fill(transaction: Any) -> None:
                for entry in entries:
                    own = LorebookRecord(
                        session_id=session_id,
                        owner=entry.owner,
                        entry_id=entry.entry_id,
                        entry=entry.entry,
                        created_at=START,
                        updated_at=START,
                    )
                    put_lorebook_entry(transaction, own, revision=0)
                for name, seconds in ROWS.items():
                    key = DataKey(
                        session_id=session_id, plugin_id="demo", namespace="notes", key=name
                    )
                    put_data(transaction, key, value_text="1", revision=0, at=at(seconds))

            await host.ports.store.transaction(fill)
            request = ManualRequest(target="demo", session_id=session_id, message=message)
            played = await played_on(host, request)
            assert played.report.failure is None, played.report.failure
            return played.requests[0]

    return asyncio.run(main())


def texts(request: ModelRequest) -> list[str]:
    return [one.text for one in request.messages if isinstance(one, SystemMessage)]


def test_constant_lore_of_every_owner_stands_around_the_body_in_order(tmp_path: Path) -> None:
    package(tmp_path)
    request = asked(
        tmp_path,
        lore("late", WORLD, insertionOrder=2),
        lore("early", PLAYER, insertionOrder=1),
        lore("plugin", OTHER, insertionOrder=3),
        lore("before", WORLD, position="before_plugin"),
        lore("off", WORLD, enabled=False),
    )
    system = texts(request)[0]
    places = [
        system.index(text)
        for text in (
            "The body.",
            "Lore of before.",
            "Lore of early.",
            "Lore of late.",
            "Lore of plugin.",
        )
    ]
    assert places == sorted(places)
    assert "Lore of off." not in "".join(texts(request))


def test_selective_lore_comes_with_the_players_words_alone(tmp_path: Path) -> None:
    package(tmp_path)
    request = asked(
        tmp_path,
        lore("lamp", WORLD, strategy="selective", keys=["", "Lantern"]),
        lore("boat", WORLD, strategy="selective", keys=["boat"]),
        lore("never", WORLD, strategy="selective", keys=[""]),
        message="I lift the LANTERNS.",
    )
    system, *later = texts(request)
    assert "Lore of" not in system
    assert ["Lore of lamp." in text for text in later] == [True]
    assert "Lore of boat." not in later[0]


def test_lore_with_a_depth_stands_that_far_from_the_end(tmp_path: Path) -> None:
    package(tmp_path)
    request = asked(tmp_path, lore("deep", WORLD, position=1), message="Hello.")
    assert isinstance(request.messages[-2], SystemMessage)
    assert request.messages[-2].text == "Lore of deep."


def test_own_data_stands_in_the_turn_context_oldest_first(tmp_path: Path) -> None:
    package(tmp_path, selfData=[{"namespace": "notes", "as": "notes", "format": "full"}])
    [_, context] = texts(asked(tmp_path))
    assert (
        context.split("\n\n")[0] == "<notes>\n- b-first: 1\n- a-second: 1\n- c-third: 1\n</notes>"
    )


def test_own_data_keeps_its_limit(tmp_path: Path) -> None:
    shown = {"namespace": "notes", "as": "notes", "format": "ids-only", "maxEntries": 1}
    package(tmp_path, selfData=[shown])
    [_, context] = texts(asked(tmp_path))
    assert context.split("\n\n")[0] == "<notes>\n- c-third\n(2 more rows)\n</notes>"
