"""Copying the rows of a session as they were at a revision, inside the database or into another.

The statements bind `source_id`, `new_id`, `revision` and `at`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, MetaData, Table, bindparam, select, union_all
from sqlalchemy.dialects.sqlite import insert

from covel_host.store.statements import Statement
from covel_host.store.tables import (
    APPENDED_TABLES,
    LOGICAL_TURNS,
    MEDIA_ASSETS,
    MEDIA_REFS,
    MESSAGES,
    METADATA,
    SESSION_WORLDS,
    WORLD_IMPORT_LEDGER,
)
from covel_host.store.versioned import VersionedTable, versioned_tables

Source = Callable[[Table], Table]
"""Where the rows of a table are read from."""


def copies_at_revision(
    *, message_id: ColumnElement[str] | None = None, schema: str | None = None
) -> Sequence[Statement]:
    """What copies the state of a session: the journal, the world, and every versioned row.

    Rows come from the attached database `schema`, where one is named. Without a `message_id`
    messages keep their IDs.
    """
    source = _source_in(schema)
    changed = {} if message_id is None else {"message_id": message_id}
    return (
        _copy_journal(source, MESSAGES, **changed),
        _copy_journal(source, LOGICAL_TURNS),
        *(_copy_journal(source, table) for table in APPENDED_TABLES),
        *(_copy_versioned(source, pair) for pair in versioned_tables()),
        *(copy_whole(table, schema=schema) for table in (SESSION_WORLDS, WORLD_IMPORT_LEDGER)),
        _copy_media(source),
    )


def copy_whole(table: Table, *, schema: str | None = None) -> Statement:
    """What copies rows of a session that no revision changes."""
    source = _source_in(schema)(table)
    rows = select(*_columns(table, source, {})).where(source.c.session_id == bindparam("source_id"))
    return Statement(insert(table).from_select([column.name for column in table.c], rows))


def copy_assets(*, schema: str) -> Statement:
    """What copies the facts of the media that a session owns or may use, without an owner."""
    source = _source_in(schema)
    assets, refs = source(MEDIA_ASSETS), source(MEDIA_REFS)
    used = select(refs.c.media_id).where(refs.c.session_id == bindparam("source_id"))
    own: Any = bindparam("new_id")
    values = {"owner_session_id": own}
    rows = select(*(values.get(one.name, assets.c[one.name]) for one in MEDIA_ASSETS.c)).where(
        (assets.c.owner_session_id == bindparam("source_id")) | assets.c.media_id.in_(used)
    )
    return Statement(
        insert(MEDIA_ASSETS).from_select([column.name for column in MEDIA_ASSETS.c], rows)
    )


def _source_in(schema: str | None) -> Source:
    if schema is None:
        return lambda table: table
    copy = MetaData(schema=schema)
    tables = {
        table.name: table.to_metadata(copy, schema=schema) for table in METADATA.sorted_tables
    }
    return lambda table: tables[table.name]


def _copy_journal(source: Source, table: Table, **changed: Any) -> Statement:
    """Rows that are only ever added, up to the revision."""
    rows_of = source(table)
    rows = select(*_columns(table, rows_of, changed)).where(
        rows_of.c.session_id == bindparam("source_id"), rows_of.c.revision <= bindparam("revision")
    )
    return Statement(insert(table).from_select([column.name for column in table.c], rows))


def _copy_versioned(source: Source, pair: VersionedTable) -> Statement:
    parts = []
    for table in (pair.current, pair.old):
        rows_of = source(table)
        part = select(*_columns(pair.current, rows_of, {})).where(
            rows_of.c.session_id == bindparam("source_id"),
            pair.written(rows_of) <= bindparam("revision"),
        )
        if table is pair.old:
            part = part.where(rows_of.c.valid_to > bindparam("revision"))
        parts.append(part)
    names = [column.name for column in pair.current.c]
    return Statement(insert(pair.current).from_select(names, union_all(*parts)))


def _copy_media(source: Source) -> Statement:
    """References to what the source owns or may use: the copied rows name it."""
    refs, assets = source(MEDIA_REFS), source(MEDIA_ASSETS)
    new_id: Any = bindparam("new_id")
    at: Any = bindparam("at")
    of_source: Any = bindparam("source_id")
    used = select(new_id, refs.c.media_id, refs.c.plugin_id, at).where(
        refs.c.session_id == of_source
    )
    owned = select(new_id, assets.c.media_id, assets.c.owner_plugin_id, at).where(
        assets.c.owner_session_id == of_source
    )
    names = ["session_id", "media_id", "plugin_id", "created_at"]
    # An asset may be owned and referred to at once.
    return Statement(
        insert(MEDIA_REFS).from_select(names, union_all(used, owned)).on_conflict_do_nothing()
    )


def _columns(wanted: Table, source: Table, changed: dict[str, Any]) -> list[Any]:
    values = {"session_id": bindparam("new_id"), **changed}
    return [values.get(column.name, source.c.get(column.name)) for column in wanted.c]
