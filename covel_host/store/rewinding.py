"""A database of its own with one session as it was at a kept revision, to try something out in.

Nothing of it goes back: it is thrown away (docs/replay.md).
"""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from sqlalchemy.dialects.sqlite import dialect as sqlite_dialect

from covel_host.store.kernel_rows import KernelRows
from covel_host.store.options import StoreOptions
from covel_host.store.records import SessionRecord
from covel_host.store.row_copies import copies_at_revision, copy_assets, copy_whole
from covel_host.store.sessions import insert_session, record_revision
from covel_host.store.snapshots import session_at_revision
from covel_host.store.statements import Parameters
from covel_host.store.store import Store
from covel_host.store.tables import MEMORY_VECTOR_MODELS, MEMORY_VECTORS
from covel_host.store.transaction import Reading, Transaction
from covel_host.store.values import time_text
from plugin_sdk.values import JsonObject, JsonValue

_SOURCE: Final = "source"
_ATTEMPTS: Final[Mapping[str, KernelRows]] = {
    "setup": KernelRows("setup", "states"),
    "failures": KernelRows("pauses", "failures"),
}
"""What an execution that is not committed changes all the same, at the revision it began with."""


def read_attempts(reading: Reading, session_id: str) -> JsonObject:
    """The setup attempts and failures of a session as they are now, for `rewound_store`."""
    return {name: dict(rows.every(reading, session_id)) for name, rows in _ATTEMPTS.items()}


def rewound_store(source: Store, target: Path, session: SessionRecord, attempts: Any) -> Store:
    """An open store at `target`, a new file, with `session` alone, as its revision left it.

    Everything keeps its IDs. The turns, calls and traces of before are not in it. `attempts` is
    what `read_attempts` gave when the revision was the newest. Blocks.

    Raises:
        SessionNotFoundError: there is no such session.
        RevisionNotKeptError: nothing keeps its revision.
        StoreError: a database cannot be used.
    """
    source.read_now(
        lambda reading: session_at_revision(reading, session.session_id, session.revision)
    )
    options = StoreOptions(path=target, synchronous="NORMAL")
    store = Store.open(options)
    try:
        _fill(source.path, target, session)
        store.transaction_now(lambda transaction: _restore(transaction, session, attempts))
    except BaseException:
        store.close()
        raise
    return store


def _fill(source: Path, target: Path, session: SessionRecord) -> None:
    with closing(sqlite3.connect(target, isolation_level=None, uri=True)) as driver:
        driver.execute(f"ATTACH DATABASE ? AS {_SOURCE}", [f"{source.resolve().as_uri()}?mode=ro"])
        driver.execute("BEGIN")
        transaction = Transaction(driver, sqlite_dialect(dbapi=sqlite3))
        insert_session(transaction, session)
        record_revision(transaction, session, turn_id=None, at=session.updated_at)
        place: Parameters = {
            "source_id": session.session_id,
            "new_id": session.session_id,
            "revision": session.revision,
            "at": time_text(session.updated_at),
        }
        vectors = (MEMORY_VECTOR_MODELS, MEMORY_VECTORS)
        for statement in (
            copy_assets(schema=_SOURCE),
            *copies_at_revision(schema=_SOURCE),
            *(copy_whole(table, schema=_SOURCE) for table in vectors),
        ):
            transaction.run(statement, place)
        transaction.flush()
        driver.execute("COMMIT")


def _restore(transaction: Transaction, session: SessionRecord, attempts: Any) -> None:
    at: datetime = session.updated_at
    for name, rows in _ATTEMPTS.items():
        then: dict[str, JsonValue] = attempts[name]
        for key, _ in list(rows.every(transaction, session.session_id)):
            if key not in then:
                rows.delete(transaction, session.session_id, key, revision=session.revision)
        rows.put(transaction, session.session_id, then, revision=session.revision, at=at)
