"""Rows of posted messages: what a player wrote before a turn has committed it.

They are in no journal. The commit that answers one adopts it under its ID (`inputMessageId`,
spec/transactions.md 9).
"""

from sqlalchemy import bindparam, delete, insert, select

from covel_host.store.errors import ScopeConflictError
from covel_host.store.messages import get_message
from covel_host.store.records import PostedMessage
from covel_host.store.statements import Statement
from covel_host.store.tables import POSTED_MESSAGES
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_time, time_text

_BY_ID = POSTED_MESSAGES.c.message_id == bindparam("message_id")
_INSERT = Statement(insert(POSTED_MESSAGES))
_GET = Statement(select(POSTED_MESSAGES).where(_BY_ID))
_DELETE = Statement(delete(POSTED_MESSAGES).where(_BY_ID))


def post_message(transaction: Transaction, message: PostedMessage) -> None:
    """Keep what a player posted until a turn commits it.

    Raises:
        ScopeConflictError: the ID is taken, in whatever session; nothing was changed.
        RowConflictError: the session does not exist.
    """
    if _is_taken(transaction, message.message_id):
        raise ScopeConflictError(
            f"The message ID {message.message_id!r} is taken.", code="message-exists"
        )
    transaction.run(
        _INSERT,
        {
            "message_id": message.message_id,
            "session_id": message.session_id,
            "content": message.content,
            "created_at": time_text(message.created_at),
        },
    )


def get_posted(reading: Reading, message_id: str) -> PostedMessage | None:
    """The posted message with that ID, whatever its session; None when none waits under it."""
    row = reading.row(_GET, {"message_id": message_id})
    return None if row is None else _record(row)


def adopt_posted(
    transaction: Transaction, message_id: str, *, session_id: str, content: str
) -> PostedMessage | None:
    """The posted message, which no longer waits; None when the ID is not a waiting one's.

    Raises:
        ScopeConflictError: it was posted in another session, or says something else.
    """
    posted = get_posted(transaction, message_id)
    if posted is None:
        return None
    if (posted.session_id, posted.content) != (session_id, content):
        whose = "says something else"
        if posted.session_id != session_id:
            whose = "was posted in another session"
        raise ScopeConflictError(
            f"The posted message {message_id!r} {whose}, so the turn cannot adopt it.",
            code="message-mismatch",
            hint="Send the text that was posted under the ID, or use a new ID.",
        )
    transaction.run(_DELETE, {"message_id": message_id})
    return posted


def _is_taken(reading: Reading, message_id: str) -> bool:
    return get_posted(reading, message_id) is not None or (
        get_message(reading, message_id) is not None
    )


def _record(row: Row) -> PostedMessage:
    return PostedMessage(
        message_id=row[0], session_id=row[1], content=row[2], created_at=parsed_time(row[3])
    )
