"""Whether a database is sound: the file itself, its references, and what the rows say together."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from covel_host.store.schema import HEAD, required_revision, unusable
from covel_host.store.versioned import VersionedTable, versioned_tables

MAX_EXAMPLES = 10
"""Findings of one kind that are named; the others are counted."""

_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")

FindingKind = Literal[
    "integrity",
    "foreign-keys",
    "schema-revision",
    "pending-turns",
    "versions",
    "revisions",
    "snapshots",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is not as it must be.

    An `error` means that the file is damaged. A `note` is a state that can be left by an ordinary
    end, such as a turn whose process died, and needs nobody to do anything.
    """

    kind: FindingKind
    severity: Literal["error", "note"]
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseReport:
    """What was found; without findings of severity `error` the database is sound."""

    path: Path
    schema_revision: str
    sessions: int
    findings: tuple[Finding, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing is damaged."""
        return all(finding.severity != "error" for finding in self.findings)


def check_database(path: Path) -> DatabaseReport:
    """Check the database at `path` from one committed state, beside any writer, changing nothing.

    Rows are looked at only where the schema is this program's; a file that is damaged below its
    tables is not asked about them.

    Raises:
        StoreError: there is no database of ours at `path`.
    """
    revision = required_revision(path)
    findings: list[Finding] = []
    sessions = 0
    try:
        with closing(_opened(path)) as driver:
            driver.execute("BEGIN")
            findings.extend(_findings(driver, revision))
            sessions = _number(driver, "SELECT count(*) FROM sessions")
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorname", "") not in _DAMAGE:
            raise unusable(path, error) from error
        # So damaged that SQLite gives up on looking for damage.
        findings.append(_error("integrity", f"The file is damaged: {error}."))
    return DatabaseReport(
        path=path, schema_revision=revision, sessions=sessions, findings=tuple(findings)
    )


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None)


def _findings(driver: sqlite3.Connection, revision: str) -> Iterator[Finding]:
    damage = list(_integrity(driver))
    yield from damage
    if revision != HEAD:
        yield _note(
            "schema-revision",
            f"The schema has revision {revision!r}, this program's is {HEAD!r}; rows were not "
            "checked.",
        )
    elif not damage:
        for check in (_foreign_keys, _pending, _revisions, _snapshots, *_version_checks()):
            yield from check(driver)


def _integrity(driver: sqlite3.Connection) -> Iterator[Finding]:
    for (text,) in driver.execute(f"PRAGMA integrity_check({MAX_EXAMPLES})"):
        if text != "ok":
            yield _error("integrity", f"The file is damaged: {text}.")


def _foreign_keys(driver: sqlite3.Connection) -> Iterator[Finding]:
    broken: dict[tuple[str, str], int] = {}
    for table, _row, parent, _key in driver.execute("PRAGMA foreign_key_check"):
        broken[table, parent] = broken.get((table, parent), 0) + 1
    for (table, parent), count in sorted(broken.items()):
        yield _error(
            "foreign-keys", f"{count} rows of {table!r} name a row of {parent!r} that is missing."
        )


def _pending(driver: sqlite3.Connection) -> Iterator[Finding]:
    rows = driver.execute(
        "SELECT session_id, count(*) FROM turns WHERE commit_status = 'pending' "
        "GROUP BY session_id ORDER BY session_id"
    )
    yield from _examples(
        rows.fetchall(),
        lambda row: _note(
            "pending-turns",
            f"Session {row[0]!r} has {row[1]} turns that neither committed nor failed: they are "
            "running, or their process died.",
        ),
    )


def _revisions(driver: sqlite3.Connection) -> Iterator[Finding]:
    rows = driver.execute(
        "SELECT s.session_id, s.revision, coalesce(r.newest, 0) FROM sessions s LEFT JOIN ("
        " SELECT session_id, max(revision) AS newest FROM session_revisions GROUP BY session_id"
        ") r USING (session_id) WHERE coalesce(r.newest, 0) <> s.revision "
        "UNION ALL SELECT s.session_id, s.revision, t.revision FROM sessions s JOIN turns t "
        "USING (session_id) WHERE t.revision > s.revision ORDER BY 1"
    )
    yield from _examples(
        rows.fetchall(),
        lambda row: _error(
            "revisions",
            f"Session {row[0]!r} is at revision {row[1]}, but its newest record is of {row[2]}.",
        ),
    )


def _snapshots(driver: sqlite3.Connection) -> Iterator[Finding]:
    rows = driver.execute(
        "SELECT p.session_id, p.snapshot_id, p.revision FROM snapshots p "
        "JOIN sessions s USING (session_id) LEFT JOIN session_revisions r "
        "ON r.session_id = p.session_id AND r.revision = p.revision "
        "WHERE r.revision IS NULL OR p.revision > s.revision ORDER BY 1, 2"
    )
    yield from _examples(
        rows.fetchall(),
        lambda row: _error(
            "snapshots",
            f"Snapshot {row[1]!r} of session {row[0]!r} keeps revision {row[2]}, which was never "
            "committed.",
        ),
    )


def _version_checks() -> tuple[Callable[[sqlite3.Connection], Iterator[Finding]], ...]:
    return tuple(_version_check(pair) for pair in versioned_tables())


def _version_check(pair: VersionedTable) -> Callable[[sqlite3.Connection], Iterator[Finding]]:
    current, old = pair.current.name, pair.old.name
    written = pair.written(pair.current).name
    queries = {
        f"rows of {current!r} are newer than their session": (
            f"SELECT count(*) FROM {current} c JOIN sessions s USING (session_id) "
            f"WHERE c.{written} > s.revision"
        ),
        f"rows of {old!r} end before they begin, or after their session": (
            f"SELECT count(*) FROM {old} o JOIN sessions s USING (session_id) "
            f"WHERE o.{written} >= o.valid_to OR o.valid_to > s.revision"
        ),
    }

    def check(driver: sqlite3.Connection) -> Iterator[Finding]:
        for problem, query in queries.items():
            count = _number(driver, query)
            if count:
                yield _error("versions", f"{count} {problem}.")

    return check


def _examples(
    rows: list[tuple[object, ...]], finding: Callable[[tuple[object, ...]], Finding]
) -> Iterator[Finding]:
    for row in rows[:MAX_EXAMPLES]:
        yield finding(row)
    if len(rows) > MAX_EXAMPLES:
        last = finding(rows[-1])
        more = f"And {len(rows) - MAX_EXAMPLES} more like these."
        yield Finding(kind=last.kind, severity=last.severity, message=more)


def _number(driver: sqlite3.Connection, query: str) -> int:
    return int(driver.execute(query).fetchone()[0])


def _error(kind: FindingKind, message: str) -> Finding:
    return Finding(kind=kind, severity="error", message=message)


def _note(kind: FindingKind, message: str) -> Finding:
    return Finding(kind=kind, severity="note", message=message)
