"""A session made from a world pack: all of it in one transaction, or nothing."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import bindparam, select

from covel_host.catalog.trust import TrustPolicy
from covel_host.host import Host
from covel_host.proposals.world_snapshot import read_world
from covel_host.store.character_schemas import get_character_schema
from covel_host.store.characters import every_character
from covel_host.store.dimensions import every_dimension
from covel_host.store.forks import ForkIds, fork_session
from covel_host.store.lorebook import every_lorebook_entry
from covel_host.store.plugin_data import list_data
from covel_host.store.seats import every_seat
from covel_host.store.sessions import get_session, list_sessions
from covel_host.store.snapshots import keep_snapshot
from covel_host.store.statements import Statement
from covel_host.store.tables import WORLD_IMPORT_LEDGER
from covel_host.store.transaction import Reading, Row
from covel_host.turn import world_sessions
from covel_host.turn.errors import RequestRefused
from covel_host.turn.world_sessions import WorldRefused, WorldSession, WorldSessionRequest
from tests.support.hosts import opened, settings_of
from tests.worlds.packs import sources, write_pack

SALT_LANTERN = Path(__file__).parents[2] / "templates" / "worlds" / "salt-lantern"
NOTES = {"kind": "json", "path": "data/notes.json", "to": "contract:notes@1"}


def package(home: Path, name: str, **fields: Any) -> None:
    """A package without code below `home/plugins`."""
    folder = home / "plugins" / name
    folder.mkdir(parents=True)
    manifest = json.dumps({"description": "For tests.", **fields})
    (folder / "PLUGIN.md").write_text(f"---\n{manifest}\n---\n", encoding="utf-8")
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    (folder / "note.json").write_text(json.dumps(schema), encoding="utf-8")


def keeper(home: Path, name: str = "note-keeper") -> None:
    """A package that takes notes."""
    data = {"notes": {"schema": "note.json", "version": 1, "accepts": ["notes@1"]}}
    package(home, name, contributes={"data": data}, provides=["notes.keeper@1"])


def make(home: Path, pack: Path, *packages: str, locale: str | None = None) -> WorldSession:
    async def main() -> WorldSession:
        async with opened(home) as host:
            return await host.open_world(
                WorldSessionRequest(pack=pack, packages=packages, locale=locale)
            )

    return asyncio.run(main())


def import_rows(reading: Reading, session_id: str) -> list[Row]:
    """The ledger of what was imported into the session, by target, namespace and key."""
    columns = WORLD_IMPORT_LEDGER.c
    return reading.rows(
        Statement(
            select(
                columns.target,
                columns.namespace,
                columns.key,
                columns.source_id,
                columns.value_hash,
            )
            .where(columns.session_id == bindparam("session_id"))
            .order_by(columns.target, columns.namespace, columns.key)
        ),
        {"session_id": session_id},
    )


def stored(home: Path, body: Any) -> Any:
    async def main() -> Any:
        async with opened(home) as host:
            return host.ports.store.read_now(body)

    return asyncio.run(main())


def noted(folder: Path, records: object, **world: Any) -> Path:
    files = {"data/world.data.yaml": sources(notes=NOTES), "data/notes.json": records}
    return write_pack(folder, files=files, **world)


def test_the_world_of_the_templates_begins_a_session_in_two_languages(tmp_path: Path) -> None:
    package(tmp_path, "keeper-of-dimensions", provides=["world.dimensions@1"])
    for locale, name, sign in (
        ("en", "The Lantern Pans", "The flats begin to show their ribs."),
        ("zh-CN", "灯盐滩", "滩涂渐渐露出了肋骨。"),
    ):
        begun = make(tmp_path, SALT_LANTERN, "keeper-of-dimensions", locale=locale)
        assert not begun.diagnostics
        session_id = begun.session.session_id

        def check(reading: Any, session_id: str = session_id) -> Any:
            session = get_session(reading, session_id)
            assert session is not None
            return session, read_world(reading, session)

        session, world = stored(tmp_path, check)
        assert (session.world_id, session.locale, session.revision) == ("salt-lantern", locale, 1)
        assert session.active_packages == ("keeper-of-dimensions",)
        assert world.world_record["name"] == name
        assert world.world_record["lore"]
        assert sorted(world.characters) == [
            "companion-pim",
            "npc-hob-tansy",
            "npc-ottoline-marrow",
        ]
        assert world.dimensions["tide"]["value"] == {"state": "falling", "sign": sign}
        assert world.dimensions["tide"]["name"] == {"en": "Tide", "zh": "潮汐"}


def test_everything_of_a_pack_is_stored_as_the_first_revision(tmp_path: Path) -> None:
    keeper(tmp_path)
    schema = {
        "types": ["npc"],
        "attributes": [{"id": "calm", "name": "Calm", "type": "number", "category": "bio"}],
    }
    files = {
        "data/world.data.yaml": sources(
            notes=NOTES,
            secrets={**NOTES, "path": "data/secrets.json", "visibility": "hidden"},
            people={"kind": "json", "path": "people.json", "to": "characters"},
            lore={"kind": "json", "path": "lore.json", "to": "lorebook"},
        ),
        "data/notes.json": [{"id": "a", "n": 1}],
        "data/secrets.json": [{"id": "s", "n": 2}],
        "people.json": [{"id": "me", "name": "Me", "type": "player"}],
        "lore.json": [{"id": "mud", "content": "Mud."}],
    }
    pack = write_pack(
        tmp_path, files=files, characterSchema=schema, pluginPolicy={"requested": ["note-keeper"]}
    )
    begun = make(tmp_path, pack)
    session_id = begun.session.session_id
    counts = {"characters": 1, "lorebook": 1, "dimensions": 0, "records": 2, "media": 0}
    assert begun.counts == counts

    def read(reading: Any) -> dict[str, Any]:
        return {
            "schema": get_character_schema(reading, session_id),
            "characters": every_character(reading, session_id),
            "lore": every_lorebook_entry(reading, session_id),
            "notes": list_data(reading, session_id, "note-keeper", "notes"),
            "hidden": list_data(reading, session_id, "note-keeper", "_hidden.notes"),
            "seats": every_seat(reading, session_id),
            "ledger": import_rows(reading, session_id),
        }

    found = stored(tmp_path, read)
    assert found["schema"]["version"] == 1
    [character] = found["characters"]
    assert (character["id"], character["version"]) == ("me", 1)
    assert character["createdAt"] == character["updatedAt"]
    [entry] = found["lore"]
    assert (entry.owner.kind, entry.entry["strategy"]) == ("world", "constant")
    assert [(row.key, row.value, row.version) for row in found["notes"]] == [
        ("a", {"id": "a", "n": 1}, 1)
    ]
    assert [row.key for row in found["hidden"]] == ["s"]
    assert [seat.character_id for seat in found["seats"]] == ["me"]
    assert [tuple(row[:4]) for row in found["ledger"]] == [
        ("character-schema", "", "", "world.yaml"),
        ("characters", "", "me", "people"),
        ("contract:notes@1", "_hidden.notes", "s", "secrets"),
        ("contract:notes@1", "notes", "a", "notes"),
        ("lorebook", "", "mud", "lore"),
    ]
    assert {len(row[4]) for row in found["ledger"]} == {64}


def test_a_failure_while_writing_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper(tmp_path)
    pack = noted(tmp_path, [{"id": "a"}], pluginPolicy={"requested": ["note-keeper"]})

    def fails(*arguments: object, **options: object) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(world_sessions, "insert_import_rows", fails)
    with pytest.raises(RuntimeError, match="disk is full"):
        make(tmp_path, pack)
    assert stored(tmp_path, list_sessions) == []


@pytest.mark.parametrize(
    ("records", "world", "name"),
    [
        ([{"id": "a", "n": "x"}], {}, "world-record-invalid"),
        ([{"id": "a", "t": "x" * 262_144}], {}, "world-record-too-large"),
        ([{"id": "a"}], {"id": "No"}, "text-malformed"),
        ([{"id": "a"}], {"pluginPolicy": {"requires": ["none@1"]}}, "unprovided-contract"),
    ],
)
def test_a_faulty_pack_makes_no_session(
    tmp_path: Path, records: object, world: Mapping[str, Any], name: str
) -> None:
    keeper(tmp_path)
    with pytest.raises(WorldRefused) as refused:
        make(tmp_path, noted(tmp_path, records, **world), "note-keeper")
    assert name in {found.name for found in refused.value.diagnostics}
    assert stored(tmp_path, list_sessions) == []


def test_records_nobody_can_receive_keep_the_session_from_being_made(tmp_path: Path) -> None:
    with pytest.raises(WorldRefused) as refused:
        make(tmp_path, noted(tmp_path, [{"id": "a"}]))
    assert [found.name for found in refused.value.diagnostics] == ["unresolved-contract"]


def test_a_receiver_that_is_not_played_with_is_named(tmp_path: Path) -> None:
    keeper(tmp_path)
    begun = make(tmp_path, noted(tmp_path, [{"id": "a"}]))
    assert [found.name for found in begun.diagnostics] == ["receiver-inactive"]
    assert begun.counts["records"] == 0


def test_what_a_world_requires_is_provided_or_asked_for(tmp_path: Path) -> None:
    keeper(tmp_path)
    pack = noted(tmp_path, [{"id": "a"}], pluginPolicy={"requires": ["notes.keeper@1"]})
    assert make(tmp_path, pack).session.active_packages == ("note-keeper",)
    keeper(tmp_path, "second-keeper")
    with pytest.raises(WorldRefused) as refused:
        make(tmp_path, pack)
    errors = [one.name for one in refused.value.diagnostics if one.severity == "error"]
    assert errors == ["unprovided-contract"]
    assert make(tmp_path, pack, "second-keeper").session.active_packages == ("second-keeper",)


def test_a_package_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(RequestRefused, match="'nobody'"):
        make(tmp_path, SALT_LANTERN, "nobody")


def test_a_requested_package_that_is_missing_is_a_warning(tmp_path: Path) -> None:
    pack = write_pack(tmp_path, pluginPolicy={"requested": ["nobody"]})
    begun = make(tmp_path, pack)
    assert [(found.name, found.severity) for found in begun.diagnostics] == [
        ("unknown-plugin", "warning")
    ]


def test_a_fork_plays_in_the_same_world(tmp_path: Path) -> None:
    begun = make(tmp_path, SALT_LANTERN)
    session_id = begun.session.session_id

    async def main() -> Any:
        host = await Host.open(settings_of(tmp_path), load=())
        try:
            now = host.ports.clock.now()
            new = ForkIds(session_id="s2", incarnation="i2", snapshot_id="f2")

            def body(transaction: Any) -> Any:
                keep_snapshot(transaction, session_id, snapshot_id="m1", at=now)
                forked = fork_session(transaction, session_id, 1, new=new, at=now)
                rows = (import_rows(transaction, one) for one in (session_id, "s2"))
                return forked, read_world(transaction, forked), [len(one) for one in rows]

            return await host.ports.store.transaction(body)
        finally:
            await host.close()

    forked, world, counts = asyncio.run(main())
    assert forked.world_id == "salt-lantern"
    assert world.world_record["name"] == "The Lantern Pans"
    assert len(world.characters) == 3
    assert counts[0] == counts[1] > 0


def test_without_a_provider_a_session_has_no_dimensions(tmp_path: Path) -> None:
    begun = make(tmp_path, SALT_LANTERN)
    assert [found.name for found in begun.diagnostics] == ["dimensions-without-provider"]
    session_id = begun.session.session_id
    assert stored(tmp_path, lambda reading: every_dimension(reading, session_id)) == []


def broken(home: Path) -> None:
    package(home, "note-keeper", contributes={"tools": [7]})


def test_a_package_with_errors_is_refused_by_its_own_reason(tmp_path: Path) -> None:
    broken(tmp_path)
    with pytest.raises(RequestRefused, match="'note-keeper' has errors") as refused:
        make(tmp_path, write_pack(tmp_path), "note-keeper")
    assert refused.value.code == "package-not-active"
    assert stored(tmp_path, list_sessions) == []


def test_a_requested_package_with_errors_is_left_out_and_said_to_have_them(tmp_path: Path) -> None:
    broken(tmp_path)
    begun = make(tmp_path, write_pack(tmp_path, pluginPolicy={"requested": ["note-keeper"]}))
    assert begun.session.active_packages == ()
    assert begun.notes == (
        "note-keeper: The package has errors. See: covel plugins show note-keeper",
    )


def test_a_package_nobody_trusts_takes_part_and_none_of_its_code_runs(tmp_path: Path) -> None:
    keeper(tmp_path)
    folder = tmp_path / "plugins" / "note-keeper"
    (folder / "server").mkdir()
    (folder / "server" / "index.py").write_text("raise RuntimeError('it ran')\n")
    pack = noted(tmp_path, [{"id": "a"}], pluginPolicy={"requested": ["note-keeper"]})

    async def main() -> WorldSession:
        settings = replace(settings_of(tmp_path), trust=TrustPolicy({}))
        host = await Host.open(settings, load=())
        try:
            return await host.open_world(WorldSessionRequest(pack=pack))
        finally:
            await host.close()

    begun = asyncio.run(main())
    assert begun.session.active_packages == ("note-keeper",)
    assert begun.counts["records"] == 1
