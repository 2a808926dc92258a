"""What proposals write besides messages and plugin data, and the rows of media files.

Characters, their schema, dimensions and lorebook entries are versioned by the session's revision.
This file is history: it states the tables as they were and shares nothing with `store.tables`.
"""

from collections.abc import Callable

import sqlalchemy as sa
from alembic import op
from sqlalchemy.schema import SchemaItem

revision = "0002"
down_revision: str | None = "0001"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    _versioned("characters", ["character_id"], lambda: [_text("record")])
    _versioned("character_schemas", [], lambda: [_text("record")])
    _dimensions()
    _versioned(
        "lorebook_entries",
        ["owner_kind", "owner_plugin_id", "entry_id"],
        lambda: [_text("entry"), _text("created_at"), _text("updated_at")],
    )
    _appended("interactions", _text("interaction_id"), _text("interaction"))
    _appended("ui_blocks", _text("block_id"), _number("after_message"), _text("render"))
    _appended("events", _text("topic"), _text("data"))
    _appended("generated_assets", _text("media_id"), _text("modality"), _text_or_null("meta"))
    _media()


def _dimensions() -> None:
    _versioned(
        "dimensions",
        ["dimension_id"],
        lambda: [
            _text("plugin_id"),
            _number("version"),
            _text("definition"),
            _text("value"),
            _text_or_null("last_source"),
        ],
    )
    _versioned(
        "dimension_settlements",
        ["result_id"],
        lambda: [
            _text("plugin_id"),
            _number("turn_number"),
            _text("source_turn_id"),
            _number("version"),
            _text("status"),
            _text_or_null("frozen"),
        ],
    )


def _media() -> None:
    _create(
        "media_assets",
        _key("media_id"),
        _text("mime"),
        _number("size_bytes"),
        _text("meta"),
        sa.Column(
            "owner_session_id",
            sa.Text,
            sa.ForeignKey("sessions.session_id", ondelete="SET NULL"),
            nullable=True,
        ),
        _text_or_null("owner_plugin_id"),
        _text("created_at"),
    )
    op.create_index("media_assets_by_owner", "media_assets", ["owner_session_id"])
    _create(
        "media_refs",
        _session_id(),
        sa.Column(
            "media_id",
            sa.Text,
            sa.ForeignKey("media_assets.media_id", ondelete="CASCADE"),
            primary_key=True,
            nullable=False,
        ),
        _text_or_null("plugin_id"),
        _text("created_at"),
    )
    op.create_index("media_refs_by_asset", "media_refs", ["media_id"])


def _versioned(name: str, keys: list[str], others: Callable[[], list[SchemaItem]]) -> None:
    """The table of current rows, and the one of superseded rows."""
    _create(name, _session_id(), *map(_key, keys), _number("revision"), *others())
    _create(
        f"{name}_old",
        _session_id(),
        _number("valid_to", primary_key=True),
        *map(_key, keys),
        _number("revision"),
        *others(),
    )


def _appended(name: str, *items: SchemaItem) -> None:
    _create(
        name,
        _session_id(),
        _number("sequence", primary_key=True),
        _number("revision"),
        _text("turn_id"),
        _text("plugin_id"),
        _text("runtime_id"),
        _text("proposal_id"),
        *items,
        _text("created_at"),
    )
    op.create_index(f"{name}_by_turn", name, ["session_id", "turn_id"])


def _create(name: str, *items: SchemaItem) -> None:
    op.create_table(name, *items, sqlite_with_rowid=False)


def _session_id() -> sa.Column[str]:
    return sa.Column(
        "session_id",
        sa.Text,
        sa.ForeignKey("sessions.session_id", ondelete="CASCADE"),
        primary_key=True,
        nullable=False,
    )


def _key(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, primary_key=True, nullable=False)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _text_or_null(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=True)


def _number(name: str, *, primary_key: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False, primary_key=primary_key, autoincrement=False)
