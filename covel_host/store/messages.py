"""Rows of the committed message journal, in the order in which they were committed."""

from collections.abc import Sequence

from sqlalchemy import bindparam, func, insert, literal_column, select

from covel_host.base.json_text import dump_json
from covel_host.store.errors import RowConflictError, ScopeConflictError
from covel_host.store.limits import DEFAULT_LIMIT, MAX_LIMIT, checked_limit
from covel_host.store.records import MessageRecord
from covel_host.store.statements import Parameters, Statement
from covel_host.store.tables import MESSAGES
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_object, parsed_time, time_text

_OF_SESSION = MESSAGES.c.session_id == bindparam("session_id")

_APPEND = Statement(
    insert(MESSAGES).from_select(
        [column.name for column in MESSAGES.c],
        select(
            *[
                func.coalesce(func.max(MESSAGES.c.sequence), 0) + literal_column("1")
                if column.name == "sequence"
                else bindparam(column.name, type_=column.type)
                for column in MESSAGES.c
            ]
        ).where(_OF_SESSION),
    )
)
_GET = Statement(select(MESSAGES).where(MESSAGES.c.message_id == bindparam("message_id")))
_NEWEST_FIRST = (
    select(MESSAGES)
    .where(
        _OF_SESSION,
        MESSAGES.c.sequence < bindparam("before"),
        MESSAGES.c.revision <= bindparam("revision"),
    )
    .order_by(MESSAGES.c.sequence.desc())
    .limit(bindparam("limit"))
)
_LIST = Statement(_NEWEST_FIRST)
_LIST_AFTER = Statement(_NEWEST_FIRST.where(MESSAGES.c.sequence > bindparam("after")))
_COUNT_OF_PLAYERS = Statement(
    select(func.count())
    .select_from(MESSAGES)
    .where(
        _OF_SESSION,
        MESSAGES.c.source == literal_column("'player'"),
        MESSAGES.c.revision <= bindparam("revision"),
    )
)
_LIST_TURN = Statement(
    select(MESSAGES)
    .where(_OF_SESSION, MESSAGES.c.turn_id == bindparam("turn_id"))
    .order_by(MESSAGES.c.sequence)
    .limit(bindparam("limit"))
)

_NO_BOUND = 2**62
"""Larger than any sequence or revision."""


def append_messages(transaction: Transaction, messages: Sequence[MessageRecord]) -> None:
    """Append messages in order; each gets the session's next `sequence`.

    Raises:
        ScopeConflictError: one of the IDs exists, in whatever session. Roll back: messages
            before it in `messages` are written (spec/transactions.md 1, identity rules).
    """
    try:
        transaction.run_many(_APPEND, [_parameters(message) for message in messages])
    except RowConflictError as error:
        raise ScopeConflictError(
            "A message ID is taken, or the session does not exist: "
            f"{[message.message_id for message in messages]!r}.",
            code="message-exists",
        ) from error


def get_message(reading: Reading, message_id: str) -> MessageRecord | None:
    """The message with that ID, whatever its session, or None."""
    row = reading.row(_GET, {"message_id": message_id})
    return None if row is None else _record(row)


def list_messages(
    reading: Reading,
    session_id: str,
    *,
    limit: int = DEFAULT_LIMIT,
    before: int | None = None,
    at_revision: int | None = None,
) -> list[MessageRecord]:
    """The newest `limit` messages, oldest of them first.

    `before` is a `sequence` to read backwards from; `at_revision` shows the journal as that
    revision left it.
    """
    rows = reading.rows(
        _LIST,
        {
            "session_id": session_id,
            "limit": checked_limit(limit),
            "before": _NO_BOUND if before is None else before,
            "revision": _NO_BOUND if at_revision is None else at_revision,
        },
    )
    return [_record(row) for row in reversed(rows)]


def count_player_messages(
    reading: Reading, session_id: str, *, at_revision: int | None = None
) -> int:
    """How many messages players wrote, as that revision left the journal."""
    row = reading.row(
        _COUNT_OF_PLAYERS,
        {
            "session_id": session_id,
            "revision": _NO_BOUND if at_revision is None else at_revision,
        },
    )
    return 0 if row is None else int(row[0])


def newest_messages_after(
    reading: Reading,
    session_id: str,
    sequence: int,
    *,
    limit: int = DEFAULT_LIMIT,
    at_revision: int | None = None,
) -> list[MessageRecord]:
    """The newest `limit` of the messages behind `sequence`, oldest of them first."""
    rows = reading.rows(
        _LIST_AFTER,
        {
            "session_id": session_id,
            "limit": checked_limit(limit),
            "before": _NO_BOUND,
            "after": sequence,
            "revision": _NO_BOUND if at_revision is None else at_revision,
        },
    )
    return [_record(row) for row in reversed(rows)]


def newest_turns(
    reading: Reading, session_id: str, turns: int, *, after: int = 0, at_revision: int
) -> list[MessageRecord]:
    """The messages of the newest `turns` turns behind the sequence `after`, oldest first.

    What it reads depends on those turns, not on how long the session is.
    """
    found: list[MessageRecord] = []
    before: int | None = None
    page = 4 * (turns + 1)
    while True:
        rows = list_messages(
            reading,
            session_id,
            limit=min(page, MAX_LIMIT),
            before=before,
            at_revision=at_revision,
        )
        found[:0] = [row for row in rows if row.sequence > after]
        is_last = len(rows) < min(page, MAX_LIMIT) or rows[0].sequence <= after
        turn_ids = list(dict.fromkeys(row.turn_id for row in found))
        # The oldest turn that was found may begin in the page before.
        if is_last or len(turn_ids) > turns:
            kept = set(turn_ids[max(len(turn_ids) - turns, 0) :])
            return [row for row in found if row.turn_id in kept]
        before, page = rows[0].sequence, page * 2


def list_turn_messages(
    reading: Reading, session_id: str, turn_id: str, *, limit: int = DEFAULT_LIMIT
) -> list[MessageRecord]:
    """The first `limit` messages of one turn, in order."""
    rows = reading.rows(
        _LIST_TURN,
        {"session_id": session_id, "turn_id": turn_id, "limit": checked_limit(limit)},
    )
    return [_record(row) for row in rows]


def _parameters(message: MessageRecord) -> Parameters:
    return {
        "session_id": message.session_id,
        "message_id": message.message_id,
        "turn_id": message.turn_id,
        "revision": message.revision,
        "source": message.source,
        "role": message.role,
        "kind": message.kind,
        "content": message.content,
        "plugin_id": message.plugin_id,
        "runtime_id": message.runtime_id,
        "data": dump_json(message.data),
        "created_at": time_text(message.created_at),
    }


def _record(row: Row) -> MessageRecord:
    return MessageRecord(
        session_id=row[0],
        sequence=row[1],
        message_id=row[2],
        turn_id=row[3],
        revision=row[4],
        source=row[5],
        role=row[6],
        kind=row[7],
        content=row[8],
        plugin_id=row[9],
        runtime_id=row[10],
        data=parsed_object(row[11]),
        created_at=parsed_time(row[12]),
    )
