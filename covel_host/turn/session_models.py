"""Which model slot a runtime uses in one session, in place of its own (spec/execution.md 1.1)."""

from collections.abc import Collection
from typing import Final

from covel_host.diagnostics.near_names import nearest
from covel_host.store.records import SessionRecord
from covel_host.store.session_choices import (
    delete_model_override,
    put_model_override,
    read_model_overrides,
)
from covel_host.store.transaction import Transaction
from covel_host.turn.errors import RequestRefused
from covel_host.turn.session_changes import (
    UNCHANGED,
    Changed,
    ChangePlace,
    ChangePorts,
    Unchanged,
    change_session,
)

MAX_MODEL_OVERRIDES: Final = 64
"""Runtimes of one session that may have another slot than their own."""


async def set_model_override(
    ports: ChangePorts,
    session_id: str,
    runtime_id: str,
    slot: str,
    *,
    runtimes: Collection[str],
    slots: Collection[str],
) -> Changed:
    """Let the runtime ask that slot from the next turn on.

    Args:
        runtimes: those of the session's packages.
        slots: the configured ones.

    Raises:
        RequestRefused: `runtime-not-found`, `slot-not-found`, `too-many-overrides`, or as
            `change_session`.
    """
    if runtime_id not in runtimes:
        raise RequestRefused(
            f"No package of the session {session_id!r} has a runtime {runtime_id!r}.",
            code="runtime-not-found",
            hint=_near(runtime_id, runtimes),
        )
    if slot not in slots:
        raise RequestRefused(
            f"There is no model slot {slot!r}.", code="slot-not-found", hint=_near(slot, slots)
        )

    def change(transaction: Transaction, place: ChangePlace) -> SessionRecord | Unchanged:
        known = read_model_overrides(transaction, session_id)
        if known.get(runtime_id) == slot:
            return UNCHANGED
        if runtime_id not in known and len(known) >= MAX_MODEL_OVERRIDES:
            raise RequestRefused(
                f"The session {session_id!r} has {len(known)} model overrides, the most there can "
                "be.",
                code="too-many-overrides",
                hint="Unset one that is not needed any more.",
            )
        put_model_override(
            transaction, session_id, runtime_id, slot, revision=place.revision, at=place.at
        )
        return place.session

    return await change_session(ports, session_id, change)


async def unset_model_override(ports: ChangePorts, session_id: str, runtime_id: str) -> Changed:
    """Let the runtime ask its own slot again; also one whose package is gone.

    Raises:
        RequestRefused: as `change_session`.
    """

    def change(transaction: Transaction, place: ChangePlace) -> SessionRecord | Unchanged:
        was_set = delete_model_override(
            transaction, session_id, runtime_id, revision=place.revision
        )
        return place.session if was_set else UNCHANGED

    return await change_session(ports, session_id, change)


def _near(name: str, known: Collection[str]) -> str:
    near = nearest(name, sorted(known))
    if near is not None:
        return f"The nearest one is {near!r}."
    return f"There are: {', '.join(sorted(known)) or 'none'}."
