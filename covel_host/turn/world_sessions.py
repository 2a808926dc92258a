"""A session made from a world pack: checked first, then written in one transaction.

Spec/world.md 7.7, spec/transactions.md 4.2.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from covel_host.base.daemon_threads import run_in_daemon_thread
from covel_host.catalog.catalog import Catalog
from covel_host.catalog.resolver_types import Resolution
from covel_host.diagnostics.diagnostic import Diagnostic, fails, in_order
from covel_host.media.files import StoredFile
from covel_host.media.sniffing import checked_mime
from covel_host.proposals.place import CommitPlace
from covel_host.proposals.seats import bind_new_player
from covel_host.store.character_schemas import put_character_schema
from covel_host.store.characters import put_character
from covel_host.store.dimensions import put_dimension
from covel_host.store.lorebook import put_lorebook_entry
from covel_host.store.plugin_data import DataKey, put_all_data
from covel_host.store.records import (
    DimensionRecord,
    LorebookOwner,
    LorebookRecord,
    SessionRecord,
)
from covel_host.store.session_worlds import ImportRow, insert_import_rows, insert_session_world
from covel_host.store.sessions import advance_session, insert_session
from covel_host.store.transaction import Transaction
from covel_host.store.values import time_text
from covel_host.turn.errors import RequestRefused
from covel_host.turn.new_sessions import packages_for, see_errors
from covel_host.turn.ports import TurnPorts
from covel_host.turn.providers import dimension_provider
from covel_host.turn.session_phase import first_phase
from covel_host.turn.world_media import stored_media, write_media
from covel_host.turn.world_packages import installed_packages
from covel_host.worlds.plan import WorldPlan
from covel_host.worlds.planning import plan_world
from covel_host.worlds.reading import PackReading, read_pack
from plugin_sdk.rules.character_fields import PLAYER_TYPE
from plugin_sdk.values import JsonObject

FIRST_REVISION = 1
"""The revision that an import writes: a session with a world begins with one commit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldSessionRequest:
    """The folder of a pack, the packages to add to those it asks for, and the content language.

    Without a `locale` the host's own.
    """

    pack: Path
    packages: tuple[str, ...] = ()
    locale: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldSession:
    """The session that was made and what it began with.

    `counts` are the things written: `characters`, `lorebook`, `dimensions`, `records`, `media`.
    `notes` are about packages left out.
    """

    session: SessionRecord
    plan: WorldPlan
    counts: Mapping[str, int]
    diagnostics: tuple[Diagnostic, ...]
    notes: tuple[str, ...]


class WorldRefused(RequestRefused):
    """A pack that no session can be made of; nothing was stored.

    `code` is `world-invalid`; `diagnostics` say why, in the files of `reading`.
    """

    def __init__(self, reading: PackReading, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(
            f"No session was made: the world pack {reading.world_id!r} has errors.",
            code="world-invalid",
            hint=f"See: covel validate-world {reading.root}",
        )
        self.reading = reading
        self.diagnostics = tuple(diagnostics)


async def new_world_session(request: WorldSessionRequest, ports: TurnPorts) -> WorldSession:
    """A session in which the world of `request` is played.

    Its packages are those of the request, those the world asks for, and the providers of what they
    and the world require. Everything is written in one transaction, or nothing is. No package
    code runs, so none needs a grant here.

    Raises:
        WorldRefused: a problem of the pack is an error, or a contract it requires has no provider.
        RequestRefused: `package-not-found`, or `package-not-active` with the resolver's reason,
            for a package of the request.
    """
    catalog = ports.catalogs.current
    locale = request.locale or ports.locale
    return await _Making(request, catalog, locale).made(ports)


class _Making:
    """What is worked out before the transaction."""

    def __init__(self, request: WorldSessionRequest, catalog: Catalog, locale: str) -> None:
        self.request = request
        self.catalog = catalog
        self.locale = locale

    async def made(self, ports: TurnPorts) -> WorldSession:
        reading, resolution, plan = await run_in_daemon_thread(
            self._planned, name="covel read world"
        )
        now = ports.clock.now()
        session = SessionRecord(
            session_id=ports.ids.new("session"),
            incarnation=ports.ids.new("incarnation"),
            created_at=now,
            updated_at=now,
            world_id=plan.world_id,
            locale=self.locale,
            active_packages=resolution.active,
            phase=first_phase(self.catalog, resolution.active),
        )
        provider = dimension_provider(self.catalog, session)
        found = in_order([*plan.diagnostics, *_without_provider(plan, reading, provider)])
        async with stored_media(ports.media, plan) as media:
            stored = await ports.store.transaction(
                lambda transaction: _write(
                    transaction, session, plan, media, provider=provider, at=now
                )
            )
        notes = tuple(self._notes(resolution))
        counts = {
            "characters": len(plan.characters),
            "lorebook": len(plan.lorebook),
            "dimensions": 0 if provider is None else len(plan.dimensions),
            "records": len(plan.data),
            "media": len(plan.media),
        }
        return WorldSession(
            session=stored, plan=plan, counts=counts, diagnostics=found, notes=notes
        )

    def _notes(self, resolution: Resolution) -> Iterable[str]:
        """Why packages that the world asks for are left out."""
        for plugin_id, rejection in resolution.rejected.items():
            state = self.catalog.packages.get(plugin_id)
            if state is not None and state.reading.blocks_loading:
                yield f"{plugin_id}: The package has errors. {see_errors(plugin_id)}"
            else:
                yield f"{plugin_id}: {rejection.message}"

    def _planned(self) -> tuple[PackReading, Resolution, WorldPlan]:
        reading = read_pack(self.request.pack, mime_of=checked_mime)
        if reading.manifest is None:
            raise WorldRefused(reading, reading.diagnostics)
        policy = reading.manifest.plugin_policy
        resolution = packages_for(
            self.catalog,
            self.request.packages,
            wished=policy.requested,
            contracts=policy.requires,
        )
        installed = installed_packages(self.catalog, active=resolution.active)
        plan = plan_world(reading, installed, locale=self.locale)
        assert plan is not None
        unmet = _unmet(reading, resolution)
        if fails([*plan.diagnostics, *unmet]):
            raise WorldRefused(reading, in_order({**dict.fromkeys(plan.diagnostics), **unmet}))
        return reading, resolution, plan


def _unmet(reading: PackReading, resolution: Resolution) -> dict[Diagnostic, None]:
    """The contracts that the world requires and nobody in the session provides, as errors."""
    assert reading.manifest is not None
    assert reading.file is not None
    found: dict[Diagnostic, None] = {}
    for index, contract in enumerate(reading.manifest.plugin_policy.requires):
        if resolution.unmet.get(contract) == "ambiguous-provider":
            path = ("pluginPolicy", "requires", index)
            message = f"Several packages provide {contract!r}, and none of them was chosen."
            hint = "Name one of them: --with PLUGIN"
            told = reading.file.report("unprovided-contract", message, path=path, hint=hint)
            found[replace(told, severity="error")] = None
    return found


def _without_provider(
    plan: WorldPlan, reading: PackReading, provider: str | None
) -> Iterable[Diagnostic]:
    if plan.dimensions and provider is None:
        assert reading.file is not None
        count = len(plan.dimensions)
        yield reading.file.report(
            "dimensions-without-provider",
            f"The world has {count} {'dimension' if count == 1 else 'dimensions'}, and no package "
            "of the session provides 'world.dimensions@1', so the session has none.",
            path=(),
            hint="Add a package that provides it: --with PLUGIN",
        )


def _write(
    transaction: Transaction,
    session: SessionRecord,
    plan: WorldPlan,
    media: Sequence[StoredFile],
    *,
    provider: str | None,
    at: datetime,
) -> SessionRecord:
    """The session with everything of the plan, as its first revision."""
    insert_session(transaction, session)
    session_id = session.session_id
    insert_session_world(transaction, session_id, plan.record)
    write_media(transaction, session_id, plan, media, at=at)
    _write_characters(transaction, session, plan, at=at)
    for entry in plan.lorebook:
        record = LorebookRecord(
            session_id=session_id,
            owner=LorebookOwner(kind="world"),
            entry_id=str(entry["id"]),
            entry=entry,
            created_at=at,
            updated_at=at,
        )
        put_lorebook_entry(transaction, record, revision=FIRST_REVISION)
    if provider is not None:
        for dimension in _dimensions(session_id, plan, provider):
            put_dimension(transaction, dimension, revision=FIRST_REVISION)
    values = [
        (
            DataKey(
                session_id=session_id,
                plugin_id=row.plugin_id,
                namespace=row.namespace,
                key=row.key,
            ),
            row.text,
        )
        for row in plan.data
    ]
    put_all_data(transaction, values, revision=FIRST_REVISION, at=at)
    insert_import_rows(transaction, _ledger(session_id, plan, provider))
    return advance_session(transaction, session, turn_id=None, at=at)


def _write_characters(
    transaction: Transaction, session: SessionRecord, plan: WorldPlan, *, at: datetime
) -> None:
    stamp = time_text(at)
    if plan.character_schema is not None:
        schema: JsonObject = {**plan.character_schema, "version": 1, "updatedAt": stamp}
        put_character_schema(transaction, session.session_id, schema, revision=FIRST_REVISION)
    for character in plan.characters:
        record: JsonObject = {**character, "createdAt": stamp, "updatedAt": stamp}
        put_character(transaction, session.session_id, record, revision=FIRST_REVISION)
        if character["type"] == PLAYER_TYPE:
            place = CommitPlace(
                session_id=session.session_id,
                turn_id="",
                revision=FIRST_REVISION,
                at=at,
                locale=session.locale,
            )
            bind_new_player(transaction, place, str(character["id"]))


def _dimensions(session_id: str, plan: WorldPlan, provider: str) -> Iterable[DimensionRecord]:
    for name, definition in plan.dimensions.items():
        yield DimensionRecord(
            session_id=session_id,
            dimension_id=name,
            plugin_id=provider,
            version=1,
            definition=definition,
            value=definition["initialValue"],
        )


def _ledger(session_id: str, plan: WorldPlan, provider: str | None) -> list[ImportRow]:
    return [
        ImportRow(
            session_id=session_id,
            source_world_id=plan.world_id,
            target=entry.target,
            key=entry.key,
            source_id=entry.source_id,
            source_digest=entry.source_digest,
            value_hash=entry.value_hash,
            plugin_id=entry.plugin_id,
            namespace=entry.namespace,
            schema_ref=entry.schema_ref,
        )
        for entry in plan.ledger
        if provider is not None or entry.target != "dimensions"
    ]
