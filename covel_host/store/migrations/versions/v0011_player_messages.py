"""What players wrote is counted without reading what was said.

This file is history: it states the index as it was and shares nothing with `store.tables`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision: str | None = "0010"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_index(
        "messages_of_players",
        "messages",
        ["session_id", "source", "revision"],
        sqlite_where=sa.text("source = 'player'"),
    )
