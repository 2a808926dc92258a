"""What commands about a session print: its parts, and what a change came to."""

from collections.abc import Sequence

from covel_host.cli.in_session import read_store
from covel_host.cli.output import one_line, safe_text, table, write_json, write_text
from covel_host.cli.session_changing import session_catalog
from covel_host.opening import open_catalog
from covel_host.settings import Settings
from covel_host.store.records import SessionRecord
from covel_host.store.seats import every_seat
from covel_host.store.session_choices import read_model_overrides
from covel_host.store.session_clock import read_setup
from covel_host.store.sessions import require_session
from covel_host.store.setup_states import SetupBlocked, SetupDone, SetupState, setup_state_json
from covel_host.store.transaction import Reading
from covel_host.turn.session_changes import Changed
from covel_host.turn.session_export_rows import seat_row, session_row
from covel_host.turn.session_metadata import excluded_packages
from covel_host.turn.session_packages import PackagesChanged
from covel_host.turn.session_phase import setup_runtime_ids

_TEXT = 100


def report_change(changed: Changed, what: str, *, as_json: bool) -> None:
    """`{hasChanged, session}`, or a line that says what is so now."""
    if as_json:
        write_json({"hasChanged": changed.has_changed, "session": session_row(changed.session)})
        return
    write_text(f"{_line(changed.session, what, has_changed=changed.has_changed)}\n")


def report_packages_changed(changed: PackagesChanged, *, as_json: bool) -> None:
    """`{hasChanged, session, added, removed, rejected}`, or the same in words."""
    if as_json:
        write_json(
            {
                "hasChanged": changed.has_changed,
                "session": session_row(changed.session),
                "added": list(changed.added),
                "removed": list(changed.removed),
                "rejected": {
                    name: {"code": rejection.code, "message": rejection.message}
                    for name, rejection in changed.rejected
                },
            }
        )
        return
    parts = [_named("added", changed.added), _named("removed", changed.removed)]
    what = ", ".join(filter(None, parts)) or "its packages are as asked for"
    write_text(f"{_line(changed.session, what, has_changed=changed.has_changed)}\n")
    for name, rejection in changed.rejected:
        write_text(f"  {name}: {safe_text(rejection.message)}\n")


def report_packages(settings: Settings, session_id: str, *, as_json: bool) -> None:
    """`{sessionId, packages: [{id, isInstalled}], excluded}`, or a table."""
    session = read_store(settings, lambda reading: require_session(reading, session_id))
    installed = open_catalog(settings).packages
    found = [(name, name in installed) for name in session.active_packages]
    excluded = excluded_packages(session)
    if as_json:
        packages = [{"id": name, "isInstalled": is_there} for name, is_there in found]
        write_json({"sessionId": session_id, "packages": packages, "excluded": list(excluded)})
        return
    rows = [(name, "active" if is_there else "not installed") for name, is_there in found]
    rows += [(name, "taken out") for name in excluded]
    _write_table(("PACKAGE", "STATE"), rows, "The session has no packages.")


def report_models(settings: Settings, session_id: str, *, as_json: bool) -> None:
    """`{sessionId, runtimeModelOverrides}`, or a table."""

    def read(reading: Reading) -> dict[str, str]:
        require_session(reading, session_id)
        return read_model_overrides(reading, session_id)

    slots = read_store(settings, read)
    if as_json:
        write_json({"sessionId": session_id, "runtimeModelOverrides": slots})
    else:
        _write_table(("RUNTIME", "SLOT"), [*slots.items()], "Every runtime uses its own slot.")


def report_setup(settings: Settings, session_id: str, *, as_json: bool) -> None:
    """`{sessionId, phase, setupRuntimes}`, or a table; never tried is pending."""
    session = read_store(settings, lambda reading: require_session(reading, session_id))
    states = read_store(settings, lambda reading: read_setup(reading, session_id))
    catalog = session_catalog(settings, session_id)
    untried = [one for one in setup_runtime_ids(catalog, catalog.packages) if one not in states]
    if as_json:
        known: dict[str, object] = {name: setup_state_json(one) for name, one in states.items()}
        known |= {name: {"state": "pending"} for name in untried}
        write_json({"sessionId": session_id, "phase": session.phase, "setupRuntimes": known})
        return
    rows = [(name, state.state, _why(state)) for name, state in states.items()]
    rows += [(name, "pending", "") for name in untried]
    _write_table(("RUNTIME", "STATE", "WHY"), rows, "The session has no setup runtimes.")


def report_seats(settings: Settings, session_id: str, *, as_json: bool) -> None:
    """`{sessionId, seats: [{id, label, characterId}]}`, or a table."""

    def read(reading: Reading) -> list[dict[str, object]]:
        require_session(reading, session_id)
        return [seat_row(seat) for seat in every_seat(reading, session_id)]

    seats = read_store(settings, read)
    if as_json:
        write_json({"sessionId": session_id, "seats": seats})
        return
    rows = [
        (str(seat["id"]), str(seat["label"]), str(seat["characterId"] or "nobody"))
        for seat in seats
    ]
    _write_table(("SEAT", "LABEL", "PLAYS"), rows, "The session has no seats.")


def _line(session: SessionRecord, what: str, *, has_changed: bool) -> str:
    unchanged = "" if has_changed else " (nothing changed)"
    return f"{safe_text(session.session_id)}: {safe_text(what)}{unchanged}."


def _named(what: str, names: Sequence[str]) -> str:
    return f"{what} {', '.join(names)}" if names else ""


def _why(state: SetupState) -> str:
    if isinstance(state, SetupDone):
        return state.warning or ""
    error = state.last_error or ""
    if isinstance(state, SetupBlocked):
        return one_line(": ".join(filter(None, (state.reason, error))), limit=_TEXT)
    return one_line(error, limit=_TEXT)


def _write_table(head: Sequence[str], rows: Sequence[Sequence[str]], none: str) -> None:
    if not rows:
        write_text(f"{none}\n")
        return
    shown = [[one_line(cell, limit=_TEXT) for cell in row] for row in rows]
    write_text(table([head, *shown]))
