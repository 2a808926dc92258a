"""alembic's script directory: one module per schema change, forward only."""
