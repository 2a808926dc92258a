"""Changes of a session from the command line, each on a store opened for it."""

from collections.abc import Awaitable, Callable
from typing import Literal

from covel_host.catalog.catalog import Catalog
from covel_host.cli.in_session import read_packages, stored_session
from covel_host.cli.session_desk import Desk, at_desk
from covel_host.cli.session_ends import end_teller
from covel_host.opening import open_catalog, read_slots
from covel_host.settings import Settings
from covel_host.turn.package_pauses import unpause_package
from covel_host.turn.session_changes import (
    Changed,
    end_session,
    pause_session,
    resume_session,
)
from covel_host.turn.session_models import set_model_override, unset_model_override
from covel_host.turn.session_packages import PackagesChanged, add_package, remove_package
from covel_host.turn.session_phase import setup_runtime_ids
from covel_host.turn.session_seats import set_seat
from covel_host.turn.session_setting_changes import set_setting, unset_setting
from covel_host.turn.session_setup import retry_setup, waive_setup
from plugin_sdk.values import JsonValue


def set_running(settings: Settings, session_id: str, change: Literal["pause", "resume"]) -> Changed:
    """Pause or resume the session."""
    changing = pause_session if change == "pause" else resume_session
    return at_desk(settings, session_id, lambda desk: changing(desk, session_id))


def end(settings: Settings, session_id: str) -> Changed:
    """End the session, and tell its packages."""
    tell = end_teller(settings, "ended")

    async def ended(desk: Desk) -> Changed:
        changed = await end_session(desk, session_id)
        if changed.has_changed:
            await tell(changed.session)
        return changed

    return at_desk(settings, session_id, ended)


def change_packages(
    settings: Settings, session_id: str, action: Literal["add", "remove"], plugin_id: str
) -> PackagesChanged:
    """Put the package into the session, or take it out."""
    stored_session(settings, session_id)
    catalog = open_catalog(settings)
    changing = add_package if action == "add" else remove_package
    return at_desk(
        settings, session_id, lambda desk: changing(desk, session_id, plugin_id, catalog=catalog)
    )


def change_model(settings: Settings, session_id: str, runtime_id: str, slot: str | None) -> Changed:
    """Choose the slot of a runtime, or with None its own again."""
    if slot is None:
        return at_desk(
            settings, session_id, lambda desk: unset_model_override(desk, session_id, runtime_id)
        )
    runtimes = {
        runtime.runtime_id
        for state in session_catalog(settings, session_id).packages.values()
        for runtime in state.reading.runtimes
    }
    slots = tuple(read_slots(settings).slots)
    return at_desk(
        settings,
        session_id,
        lambda desk: set_model_override(
            desk, session_id, runtime_id, slot, runtimes=runtimes, slots=slots
        ),
    )


def decide_setup(
    settings: Settings, session_id: str, runtime_id: str, decision: Literal["retry", "waive"]
) -> Changed:
    """Let a blocked setup runtime run again, or go on without it."""
    catalog = session_catalog(settings, session_id)
    known = frozenset(setup_runtime_ids(catalog, catalog.packages))
    deciding = retry_setup if decision == "retry" else waive_setup
    return at_desk(
        settings,
        session_id,
        lambda desk: deciding(desk, session_id, runtime_id, setup_runtimes=known),
    )


def change_seat(
    settings: Settings,
    session_id: str,
    seat_id: str,
    *,
    label: str | None,
    character_id: str | None,
) -> Changed:
    """Change a seat, or add it."""
    return at_desk(
        settings,
        session_id,
        lambda desk: set_seat(desk, session_id, seat_id, label=label, character_id=character_id),
    )


def change_setting(
    settings: Settings,
    session_id: str,
    plugin_id: str,
    key: str,
    value: Callable[[Catalog], JsonValue] | None,
) -> Changed:
    """Give a setting the value that is read in the light of its package; None takes it away."""
    if value is None:
        return at_desk(
            settings, session_id, lambda desk: unset_setting(desk, session_id, plugin_id, key)
        )
    stored_session(settings, session_id)
    catalog = read_packages(settings, (), others=[plugin_id])
    given, slots = value(catalog), tuple(read_slots(settings).slots)

    def changed(desk: Desk) -> Awaitable[Changed]:
        return set_setting(desk, session_id, plugin_id, key, given, catalog=catalog, slots=slots)

    return at_desk(settings, session_id, changed)


def unpause(settings: Settings, session_id: str, plugin_id: str) -> Changed:
    """Let a package that was set aside after repeated errors run again."""
    return at_desk(settings, session_id, lambda desk: unpause_package(desk, session_id, plugin_id))


def session_catalog(settings: Settings, session_id: str) -> Catalog:
    """The packages of the session, as far as they are installed; no code is run.

    Raises:
        SessionNotFoundError: there is no such session.
    """
    session = stored_session(settings, session_id)
    return read_packages(settings, (), others=session.active_packages)
