"""What the tables are made of: columns by kind, and the shapes that several tables share."""

from sqlalchemy import (
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
)
from sqlalchemy.schema import SchemaItem

METADATA = MetaData()


def session_id(*, primary_key: bool = True) -> Column[str]:
    return Column(
        "session_id",
        Text,
        ForeignKey("sessions.session_id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )


def key(name: str) -> Column[str]:
    return Column(name, Text, primary_key=True, nullable=False)


def text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


def text_or_null(name: str) -> Column[str]:
    return Column(name, Text, nullable=True)


def number(name: str, *, primary_key: bool = False) -> Column[int]:
    return Column(name, Integer, nullable=False, primary_key=primary_key, autoincrement=False)


def number_or_null(name: str) -> Column[int]:
    return Column(name, Integer, nullable=True)


def table(name: str, *items: SchemaItem) -> Table:
    return Table(name, METADATA, *items, sqlite_with_rowid=False)


def of_turn() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["session_id", "turn_id"], ["turns.session_id", "turns.turn_id"], ondelete="CASCADE"
    )


def twin(current: Table, name: str) -> Table:
    """The table of a versioned table's superseded rows, clustered like `PLUGIN_DATA_OLD`."""
    keys = [column.name for column in current.primary_key]
    return table(
        name,
        session_id(),
        number("valid_to", primary_key=True),
        *[
            Column(
                column.name,
                column.type,
                nullable=column.nullable,
                primary_key=column.name in keys,
                autoincrement=False,
            )
            for column in current.c
            if column.name != "session_id"
        ],
    )


def appended(name: str, *items: SchemaItem) -> Table:
    """Rows that are only ever added, in the session's order; `revision` says since when."""
    return table(
        name,
        session_id(),
        number("sequence", primary_key=True),
        number("revision"),
        text("turn_id"),
        text("plugin_id"),
        text("runtime_id"),
        text("proposal_id"),
        *items,
        text("created_at"),
        Index(f"{name}_by_turn", "session_id", "turn_id"),
    )
