"""What changed since a revision is found without reading what did not.

This file is history: it states the tables as they were and shares nothing with `store.tables`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision: str | None = "0005"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_table(
        "removed_rows",
        sa.Column(
            "session_id",
            sa.Text,
            sa.ForeignKey("sessions.session_id", ondelete="CASCADE"),
            primary_key=True,
            nullable=False,
        ),
        sa.Column("table_name", sa.Text, primary_key=True, nullable=False),
        sa.Column("row_key", sa.Text, primary_key=True, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("removed_rows_by_revision", "removed_rows", ["session_id", "revision"])
    op.create_index("characters_by_revision", "characters", ["session_id", "revision"])
    op.create_index("lorebook_entries_by_revision", "lorebook_entries", ["session_id", "revision"])
    op.create_index(
        "plugin_data_by_version",
        "plugin_data",
        ["session_id", "plugin_id", "namespace", "version"],
    )
