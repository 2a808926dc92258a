"""A file of the first schema gets the tables of world records and keeps what it holds."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

from covel_host.store import schema
from covel_host.store.characters import every_character, put_character
from covel_host.store.messages import list_messages
from covel_host.store.store import Store
from tests.store.builders import options

SCRIPTS = Path(schema.__file__).parent / "migrations"


def first_schema(path: Path) -> None:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
    engine.dispose()
    with closing(sqlite3.connect(path)) as driver:
        driver.execute(
            "INSERT INTO sessions VALUES ('s1', 'i', NULL, 'active', 'playing', 0, 0, 'en', '[]',"
            " '{}', '2026-01-01T00:00:00.000000+00:00', '2026-01-01T00:00:00.000000+00:00')"
        )
        driver.execute(
            "INSERT INTO messages VALUES ('s1', 1, 'm1', 't1', 1, 'player', 'user', NULL, 'Hello.',"
            " NULL, NULL, '{}', '2026-01-01T00:00:00.000000+00:00')"
        )
        driver.commit()


@pytest.mark.parametrize("opened_again", [False, True])
def test_old_rows_stay_and_new_ones_can_be_written(tmp_path: Path, opened_again: bool) -> None:
    path = options(tmp_path).path
    first_schema(path)
    store = Store.open(options(tmp_path))
    if opened_again:
        store.close()
        store = Store.open(options(tmp_path))
    record = {"id": "npc-mira", "name": "Mira", "type": "npc", "version": 1}
    store.transaction_now(lambda t: put_character(t, "s1", record, revision=1))
    assert store.read_now(lambda reading: every_character(reading, "s1")) == [record]
    [message] = store.read_now(lambda reading: list_messages(reading, "s1"))
    assert message.content == "Hello."
    store.close()
    backups = [item.name for item in tmp_path.iterdir() if "backup" in item.name]
    assert backups == ["covel.db.backup-0001"]
