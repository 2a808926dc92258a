"""Tables whose rows are versioned by revision: each has a second one for superseded rows.

The pair is found by name: `<table>` and `<table>_old`, the latter with `valid_to`. A current row
names the revision that wrote it in `revision`, or in `version` where there is no such column.
Pruning and forks work on every pair, so a new one needs nothing here.
"""

from dataclasses import dataclass

from sqlalchemy import Column, MetaData, Table

from covel_host.store.tables import METADATA

_OLD = "_old"


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionedTable:
    """Current rows, and superseded ones that were true for `written <= r < valid_to`."""

    current: Table
    old: Table

    def written(self, table: Table) -> Column[int]:
        """The column of `current` or `old` that names the revision which wrote the row."""
        return table.c["revision" if "revision" in table.c else "version"]


def versioned_tables(metadata: MetaData = METADATA) -> tuple[VersionedTable, ...]:
    """Every pair of `metadata`, in the order of the names."""
    tables = metadata.tables
    return tuple(
        VersionedTable(current=tables[name], old=tables[f"{name}{_OLD}"])
        for name in sorted(tables)
        if f"{name}{_OLD}" in tables and "valid_to" in tables[f"{name}{_OLD}"].c
    )
