"""Files: made, brought up to date, left alone, refused."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from covel_host.store import schema
from covel_host.store.engines import writing_engine
from covel_host.store.errors import StoreError, StoreNeedsMigrationError, StoreTooNewError
from covel_host.store.options import StoreOptions
from covel_host.store.sessions import get_session, insert_session
from covel_host.store.store import Store
from covel_host.store.tables import METADATA
from tests.store.builders import options, session

SCRIPTS = Path(schema.__file__).parent / "migrations"
NEWEST = schema.HEAD
LATER = "9001"


def make_store(folder: Path) -> Path:
    store = Store.open(options(folder))
    store.transaction_now(lambda transaction: insert_session(transaction, session()))
    store.close()
    return store.path


def backup_of(path: Path) -> Path:
    """Where an older file of the newest known revision is copied to."""
    return path.with_name(f"{path.name}.backup-{NEWEST}")


def set_revision(path: Path, revision: str) -> None:
    with closing(sqlite3.connect(path)) as driver:
        driver.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        driver.commit()


def test_a_missing_file_is_made_with_its_folder(tmp_path: Path) -> None:
    path = make_store(tmp_path / "new" / "home #1?")
    assert path.exists()


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "covel.db").touch()
    assert make_store(tmp_path).stat().st_size > 0


def test_a_new_file_is_what_the_migrations_make(tmp_path: Path) -> None:
    new = make_store(tmp_path)
    migrated = tmp_path / "migrated.db"
    engine = writing_engine(StoreOptions(path=migrated))
    with engine.begin() as connection:
        schema.migrate(connection)
    engine.dispose()
    assert _statements(new) == _statements(migrated), "run: python scripts/write_schema.py"
    for path in (new, migrated):
        with closing(sqlite3.connect(path)) as driver:
            assert driver.execute("SELECT * FROM alembic_version").fetchall() == [(NEWEST,)]


def _statements(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as driver:
        found = driver.execute(
            "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
        )
        return [(name, " ".join(sql.split())) for name, sql in found]


def test_the_schema_has_exactly_the_tables_that_the_code_uses(tmp_path: Path) -> None:
    path = make_store(tmp_path)
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, METADATA) == []
    engine.dispose()
    assert made_tables(path) == code_tables(tmp_path / "code.db")


def made_tables(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as driver:
        rows = driver.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        return {name: " ".join(sql.split()) for name, sql in rows if name != "alembic_version"}


def code_tables(path: Path) -> dict[str, str]:
    engine = create_engine(f"sqlite:///{path}")
    METADATA.create_all(engine)
    engine.dispose()
    return made_tables(path)


def test_the_known_revisions_are_the_scripts_in_order() -> None:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    scripts = ScriptDirectory.from_config(config)
    found = [script.revision for script in scripts.walk_revisions()]
    assert tuple(reversed(found)) == schema.REVISIONS


def test_opening_a_new_or_newest_file_does_not_import_alembic(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from covel_host.store.store import Store\n"
        "from covel_host.store.options import StoreOptions\n"
        "Store.open(StoreOptions(path=Path(sys.argv[1]))).close()\n"
        "Store.open(StoreOptions(path=Path(sys.argv[1]))).close()\n"
        "sys.exit('alembic' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "covel.db")]
    assert subprocess.run(command, check=False, timeout=60).returncode == 0


def test_a_newer_file_is_refused_and_left_untouched(tmp_path: Path) -> None:
    path = make_store(tmp_path)
    set_revision(path, "0999")
    before = path.read_bytes()
    for open_it in (Store.open, Store.open_reader):
        with pytest.raises(StoreTooNewError) as refused:
            open_it(options(tmp_path))
        assert (refused.value.found, refused.value.known) == ("0999", schema.HEAD)
        assert "'0999'" in str(refused.value)
    assert path.read_bytes() == before
    assert [item.name for item in tmp_path.iterdir() if "backup" in item.name] == []


def test_an_older_file_is_migrated_after_a_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_store(tmp_path)
    add_later_migration(tmp_path, monkeypatch)
    store = Store.open(options(tmp_path))
    kept = store.read_now(lambda reading: get_session(reading, "s1"))
    store.close()
    assert kept == session()
    assert table_names(path) - table_names(backup_of(path)) == {"later"}
    with closing(sqlite3.connect(backup_of(path))) as backup:
        assert backup.execute("SELECT session_id FROM sessions").fetchall() == [("s1",)]
        assert backup.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_an_older_backup_is_never_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = backup_of(make_store(tmp_path))
    backup.write_text("precious")
    add_later_migration(tmp_path, monkeypatch)
    Store.open(options(tmp_path)).close()
    assert backup.read_text() == "precious"
    assert backup.with_name(f"{backup.name}-2").exists()


def test_a_failing_migration_leaves_the_file_at_its_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_store(tmp_path)
    tables = table_names(path)
    add_later_migration(tmp_path, monkeypatch, ending="raise RuntimeError('half way')")
    with pytest.raises(RuntimeError, match="half way"):
        Store.open(options(tmp_path))
    assert table_names(path) == tables
    with closing(sqlite3.connect(path)) as driver:
        assert driver.execute("SELECT version_num FROM alembic_version").fetchall() == [(NEWEST,)]


def test_an_older_file_is_not_migrated_by_a_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_store(tmp_path)
    monkeypatch.setattr(schema, "REVISIONS", (*schema.REVISIONS, LATER))
    monkeypatch.setattr(schema, "HEAD", LATER)
    with pytest.raises(StoreNeedsMigrationError, match=f"'{NEWEST}'"):
        Store.open_reader(options(tmp_path))
    assert "later" not in table_names(path)


def test_a_database_of_another_program_is_refused_and_left_untouched(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "covel.db")) as driver:
        driver.execute("CREATE TABLE theirs (a)")
    for open_it in (Store.open, Store.open_reader):
        with pytest.raises(StoreError, match="another program"):
            open_it(options(tmp_path))
    assert table_names(tmp_path / "covel.db") == {"theirs"}


@pytest.mark.parametrize(
    "content", [b"no database at all\n" * 100, b"SQLite format 3\x00" + b"\xff" * 4096]
)
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "covel.db").write_bytes(content)
    for open_it in (Store.open, Store.open_reader):
        with pytest.raises(StoreError, match=r"cannot be used|refused a statement"):
            open_it(options(tmp_path))
    assert (tmp_path / "covel.db").read_bytes() == content


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="COVEL_HOME"):
        Store.open(options(tmp_path / "file"))


def table_names(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as driver:
        rows = driver.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {row[0] for row in rows}


def add_later_migration(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, ending: str = "pass"
) -> None:
    scripts = folder / "scripts"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    (scripts / "versions" / f"v{LATER}_later.py").write_text(
        "import sqlalchemy as sa\n"
        "from alembic import op\n"
        f"revision = '{LATER}'\n"
        f"down_revision = '{NEWEST}'\n"
        "def upgrade():\n"
        "    op.create_table('later', sa.Column('a', sa.Text))\n"
        f"    {ending}\n"
    )
    monkeypatch.setattr(schema, "_SCRIPTS", scripts)
    monkeypatch.setattr(schema, "REVISIONS", (*schema.REVISIONS, LATER))
    monkeypatch.setattr(schema, "HEAD", LATER)


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (os.mkfifo, "it is not a file"),
        (os.mkdir, "it is not a file"),
        (lambda path: path.symlink_to("nowhere"), "a symbolic link that leads nowhere"),
    ],
    ids=["pipe", "folder", "dangling link"],
)
def test_what_is_no_file_is_refused_at_once(
    tmp_path: Path, make: Callable[[Path], None], problem: str
) -> None:
    make(options(tmp_path).path)
    for opened in (Store.open, Store.open_reader):
        with pytest.raises(StoreError, match=problem):
            opened(options(tmp_path))
