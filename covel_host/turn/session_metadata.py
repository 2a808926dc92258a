"""What the host keeps for itself among a session's metadata."""

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from covel_host.store.records import SessionRecord

DELETING: Final = "deleting"
"""Says that the session's deletion has begun."""

EXCLUDED: Final = "excludedPackages"
"""The packages that a player took out of the session."""


def is_deleting(session: SessionRecord) -> bool:
    """Whether the session's deletion has begun, so that nothing may happen in it any more."""
    return DELETING in session.metadata


def excluded_packages(session: SessionRecord) -> tuple[str, ...]:
    """The packages that a player took out of the session; only a player brings them back."""
    names = session.metadata.get(EXCLUDED, [])
    return tuple(str(name) for name in names) if isinstance(names, list) else ()


def with_excluded(session: SessionRecord, names: Collection[str]) -> SessionRecord:
    """The session with `names` as its excluded packages."""
    metadata = {name: value for name, value in session.metadata.items() if name != EXCLUDED}
    if names:
        metadata[EXCLUDED] = [*names]
    return replace(session, metadata=metadata)


def brought_back(session: SessionRecord, plugin_ids: Collection[str]) -> SessionRecord:
    """The session with none of `plugin_ids` among the excluded packages."""
    excluded = excluded_packages(session)
    if not any(name in plugin_ids for name in excluded):
        return session
    return with_excluded(session, [name for name in excluded if name not in plugin_ids])
