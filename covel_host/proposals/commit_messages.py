"""The host's own journal messages in a commit, and the posted ones that it adopts."""

from collections.abc import Sequence
from dataclasses import replace

from covel_host.proposals.place import CommitPlace
from covel_host.proposals.plan import NewMessage
from covel_host.store.messages import append_messages
from covel_host.store.posted_messages import adopt_posted
from covel_host.store.records import MessageRecord
from covel_host.store.transaction import Transaction


def write_messages(
    transaction: Transaction, place: CommitPlace, messages: Sequence[NewMessage]
) -> None:
    """Append the messages in order; an ID that a posted message waits under is adopted.

    Raises:
        ScopeConflictError: an ID is taken, or what was posted under it is of another session or
            says something else (spec/transactions.md 9).
    """
    append_messages(
        transaction,
        [_adopted(transaction, _record(message, place), message) for message in messages],
    )


def _adopted(transaction: Transaction, record: MessageRecord, message: NewMessage) -> MessageRecord:
    if not message.may_be_posted:
        return record
    posted = adopt_posted(
        transaction, record.message_id, session_id=record.session_id, content=record.content
    )
    return record if posted is None else replace(record, created_at=posted.created_at)


def _record(message: NewMessage, place: CommitPlace) -> MessageRecord:
    return MessageRecord(
        message_id=message.message_id,
        session_id=place.session_id,
        turn_id=place.turn_id,
        revision=place.revision,
        source=message.source,
        role=message.role,
        kind=message.kind,
        content=message.content,
        plugin_id=message.plugin_id,
        runtime_id=message.runtime_id,
        data=message.data,
        created_at=message.created_at,
    )
