"""Writes `covel_host/store/schema.sql`, the newest schema as the migrations make it.

Run after a new migration: `python scripts/write_schema.py`. A test compares the two.
"""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from covel_host.store.engines import writing_engine
from covel_host.store.options import StoreOptions
from covel_host.store.schema import SCHEMA_FILE, migrate


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "covel.db"
        engine = writing_engine(StoreOptions(path=path))
        with engine.begin() as connection:
            migrate(connection)
        engine.dispose()
        SCHEMA_FILE.write_text(schema_of(path), encoding="utf-8")


def schema_of(path: Path) -> str:
    """The statements that made the tables and indexes of a database, in their order."""
    with closing(sqlite3.connect(path)) as driver:
        rows = driver.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        statements = ["\n".join(map(str.rstrip, sql.strip().splitlines())) for (sql,) in rows]
    return "".join(f"{statement};\n\n" for statement in statements)


if __name__ == "__main__":
    main()
