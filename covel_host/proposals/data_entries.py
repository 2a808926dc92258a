"""Records of plugin data as views give and read them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeAlias

from plugin_sdk.values import JsonValue

Address: TypeAlias = tuple[str, str]
"""Namespace and key."""


@dataclass(frozen=True, slots=True)
class DataEntry:
    """One record of a package as the view shows it; `value` is a fresh copy.

    `version` and `created_at` are those of the stored record below it, None where there is none
    or it was not read. `is_staged` says that this execution has written it.
    """

    key: str
    value: JsonValue
    version: int | None = field(default=None, compare=False)
    created_at: datetime | None = field(default=None, compare=False)
    is_staged: bool = field(default=False, compare=False)


class DataSource(Protocol):
    """The stored records of one package in one session."""

    async def get(self, namespace: str, key: str) -> DataEntry | None:
        """The stored record, or None."""
        ...

    async def list(self, namespace: str, *, after: str, limit: int) -> Sequence[DataEntry]:
        """At most `limit` stored records with keys after `after`, in code-point order."""
        ...
