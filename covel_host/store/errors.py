"""What can go wrong in the store, one class per thing a caller can do about it."""

from pathlib import Path

from covel_host.base.errors import HostError


class StoreError(HostError):
    """A failure of the database or of its use; the base of all others here."""


class NestedTransactionError(StoreError):
    """A store call inside a body of the same store; `store`, `backend`, `inside` say where.

    Nothing was queued and nothing waits: the running body can go on, and the next transaction
    works (spec/transactions.md 1).
    """

    def __init__(self, *, store: str, backend: str, wanted: str, inside: str) -> None:
        super().__init__(
            f"A {wanted} on the {backend} store {store!r} was asked for inside a running {inside} "
            "of the same store, and store bodies do not nest.",
            code="nested-transaction",
            hint="Use the handle the running body was given; `savepoint` gives a nested rollback.",
        )
        self.store = store
        self.backend = backend
        self.inside = inside


class StoreClosedError(StoreError):
    """The store, or the handle of a body that has ended, was used after its end."""


class StoreBusyError(StoreError):
    """Another process kept the database locked for longer than the waiting limit."""


class StoreTooNewError(StoreError):
    """The file was written by a newer program; `found` is its schema revision, `known` ours."""

    def __init__(self, path: Path, *, found: str, known: str) -> None:
        super().__init__(
            f"The database {str(path)!r} has schema revision {found!r}, which this program does "
            f"not know; the newest it knows is {known!r}.",
            code="store-too-new",
            hint="Install the program version that wrote it, or set COVEL_HOME to another folder.",
        )
        self.path = path
        self.found = found
        self.known = known


class StoreNeedsMigrationError(StoreError):
    """The file has an older schema and was opened only for reading, so it is left as it is."""

    def __init__(self, path: Path, *, found: str, needed: str) -> None:
        super().__init__(
            f"The database {str(path)!r} has schema revision {found!r}; this program reads "
            f"revision {needed!r}.",
            code="store-needs-migration",
            hint="Any command that runs a package, such as `covel run`, brings it up to date "
            "after making a backup.",
        )
        self.path = path
        self.found = found
        self.needed = needed


class RowConflictError(StoreError):
    """A row breaks a key or a reference; the statement changed nothing (spec/transactions.md 1)."""


class SessionNotFoundError(StoreError):
    """There is no such session, or another one now has its ID; `session_id` names it."""

    def __init__(self, session_id: str, *, replaced: bool = False) -> None:
        state = "was deleted and created anew" if replaced else "does not exist"
        super().__init__(
            f"The session {session_id!r} {state}.",
            code="session-not-found",
            hint="`covel sessions list` names the sessions there are.",
        )
        self.session_id = session_id


class ScopeConflictError(StoreError):
    """An ID that belongs to one session was used for another; nothing was changed."""


class RevisionNotKeptError(StoreError):
    """A revision that no snapshot keeps readable; its superseded rows may be gone."""

    def __init__(self, session_id: str, revision: int) -> None:
        super().__init__(
            f"Revision {revision} of session {session_id!r} is not kept.",
            code="revision-not-kept",
            hint="The session's newest revision and those of its snapshots can be read.",
        )
        self.session_id = session_id
        self.revision = revision


class ValueTooLargeError(StoreError):
    """A plugin data value over the limit of one value, on whatever path it came; in bytes."""

    def __init__(self, record: str, *, size_bytes: int, limit_bytes: int) -> None:
        super().__init__(
            f"The value for {record} is {size_bytes} bytes; the limit for one value is "
            f"{limit_bytes} bytes.",
            code="value-too-large",
            hint="Split it over several keys, or keep only what later turns read.",
        )
        self.record = record
        self.size_bytes = size_bytes
        self.limit_bytes = limit_bytes
