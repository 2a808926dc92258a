"""A session begun from the command line, empty or from a world pack."""

from collections.abc import Sequence
from pathlib import Path

from covel_host.catalog.building import read_catalog
from covel_host.catalog.discovery import discover
from covel_host.cli.event_loop import run_loop
from covel_host.cli.failures import DetailedError
from covel_host.cli.in_session import read_packages
from covel_host.cli.output import counted, note, one_line, write_json, write_text
from covel_host.cli.story_note import warn_of_stories
from covel_host.cli.world_checks import one_world
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.formats import as_json as diagnostic_json
from covel_host.diagnostics.formats import format_full
from covel_host.host import Host
from covel_host.settings import Settings
from covel_host.store.records import SessionRecord
from covel_host.store.sessions import require_session
from covel_host.turn.world_sessions import WorldRefused, WorldSession, WorldSessionRequest
from covel_host.worlds.reading import PackReading

_NAME = 100


def begin_session(
    settings: Settings, *, world: Path | None, packages: Sequence[str], as_json: bool
) -> int:
    """Make the session and print its ID and what it began with.

    Raises:
        HostError: it was not made; for a faulty pack with its problems.
    """
    read_packages(settings, packages)
    if world is None:
        session = begin_empty(settings, packages)
        _warn_of_stories(settings, session)
        if as_json:
            write_json(
                {
                    "sessionId": session.session_id,
                    "activePackages": list(session.active_packages),
                }
            )
        else:
            listed = ", ".join(session.active_packages) or "none"
            write_text(f"{session.session_id}\n  packages: {listed}\n")
        return 0
    begun = begin_in_world(settings, world, packages)
    _warn_of_stories(settings, begun.session)
    if as_json:
        write_json(_begun_json(begun))
        return 0
    write_text(_begun_text(begun))
    for found in begun.diagnostics:
        hint = "" if found.hint is None else f" {found.hint}"
        note(f"{found.severity}: {found.placed_message}{hint}")
    for line in begun.notes:
        note(f"note: {line}")
    return 0


def begin_in_world(settings: Settings, world: Path, packages: Sequence[str]) -> WorldSession:
    """A new session made from the world pack at `world`.

    Raises:
        HostError: it was not made; for a faulty pack with its problems.
    """
    request = WorldSessionRequest(
        pack=one_world(world), packages=tuple(packages), locale=settings.locale
    )
    try:
        return run_loop(_from_world(settings, request))
    except WorldRefused as refusal:
        raise DetailedError(
            refusal.message,
            code=refusal.code,
            text=_blocks(refusal.diagnostics, refusal.reading),
            members={"diagnostics": [diagnostic_json(found) for found in refusal.diagnostics]},
            hint=refusal.hint,
        ) from None


def begin_empty(settings: Settings, packages: Sequence[str]) -> SessionRecord:
    """A new session with those packages and every core one.

    Raises:
        HostError: it was not made.
    """
    return run_loop(_empty(settings, packages))


def _warn_of_stories(settings: Settings, session: SessionRecord) -> None:
    catalog = read_packages(settings, (), session.active_packages)
    warn_of_stories(state.reading for state in catalog.packages.values())


async def _empty(settings: Settings, packages: Sequence[str]) -> SessionRecord:
    host = await Host.open(settings, load=(), catalog=read_catalog(discover(settings.folders)))
    try:
        session_id = await host.begin_session(packages)
        return await host.ports.store.read(lambda reading: require_session(reading, session_id))
    finally:
        await host.close()


async def _from_world(settings: Settings, request: WorldSessionRequest) -> WorldSession:
    host = await Host.open(settings, load=(), catalog=read_catalog(discover(settings.folders)))
    try:
        return await host.open_world(request)
    finally:
        await host.close()


def _blocks(diagnostics: Sequence[Diagnostic], reading: PackReading) -> str:
    texts = reading.files.texts
    return format_full(diagnostics, sources=lambda plugin, file: texts.get(file))


def _begun_json(begun: WorldSession) -> dict[str, object]:
    """`{sessionId, world, locale, activePackages, imported, diagnostics, notes}`."""
    return {
        "sessionId": begun.session.session_id,
        "world": {"id": begun.plan.world_id, "name": begun.plan.record["name"]},
        "locale": begun.session.locale,
        "activePackages": list(begun.session.active_packages),
        "imported": begun.counts,
        "diagnostics": [diagnostic_json(found) for found in begun.diagnostics],
        "notes": list(begun.notes),
    }


def _begun_text(begun: WorldSession) -> str:
    counts = begun.counts
    parts = [
        counted(counts["characters"], "character"),
        f"{counts['lorebook']:,} lorebook {'entry' if counts['lorebook'] == 1 else 'entries'}",
        counted(counts["dimensions"], "dimension"),
        counted(counts["records"], "record"),
    ]
    if counts["media"]:
        parts.append(counted(counts["media"], "media file"))
    name = one_line(str(begun.plan.record["name"]), limit=_NAME)
    return (
        f"{begun.session.session_id}\n"
        f"  world {begun.plan.world_id} ({name}), locale {begun.session.locale}\n"
        f"  imported: {', '.join(parts)}\n"
        f"  packages: {', '.join(begun.session.active_packages) or 'none'}\n"
    )
