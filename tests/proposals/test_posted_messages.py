"""A posted message is adopted by the commit that answers it, or makes the commit fail."""

from typing import Any

import pytest

from covel_host.proposals.plan import NewMessage
from covel_host.store.errors import RowConflictError, ScopeConflictError
from covel_host.store.messages import list_messages
from covel_host.store.posted_messages import get_posted, post_message
from covel_host.store.records import PostedMessage
from covel_host.store.sessions import delete_session, insert_session
from covel_host.store.store import Store
from tests.proposals.builders import commit, committed, contents, full_commit
from tests.store.builders import START, at, session


def post(store: Store, message_id: str = "m1", session_id: str = "s1", text: str = "Go.") -> None:
    message = PostedMessage(
        message_id=message_id, session_id=session_id, content=text, created_at=at(-60)
    )
    store.transaction_now(lambda transaction: post_message(transaction, message))


def answering(turn_id: str = "t1", text: str = "Go.", **changes: Any) -> Any:
    message = NewMessage(
        message_id="m1",
        source="player",
        role="user",
        content=text,
        created_at=START,
        may_be_posted=True,
    )
    return commit(turn_id, messages=(message,), **changes)


def journal(store: Store) -> list[tuple[str, str, Any]]:
    messages = store.read_now(lambda reading: list_messages(reading, "s1"))
    return [(each.message_id, each.turn_id, each.created_at) for each in messages]


def test_a_posted_message_is_in_no_journal_until_its_turn_commits(store: Store) -> None:
    post(store)
    assert journal(store) == []
    committed(store, answering())
    assert journal(store) == [("m1", "t1", at(-60))]
    assert store.read_now(lambda reading: get_posted(reading, "m1")) is None


def test_an_unknown_id_is_a_new_message(store: Store) -> None:
    committed(store, answering())
    assert journal(store) == [("m1", "t1", START)]


def test_an_id_that_another_turn_has_makes_the_commit_fail(store: Store) -> None:
    committed(store, answering())
    before = contents(store)
    with pytest.raises(ScopeConflictError):
        committed(store, answering("t2"))
    assert contents(store) == before


def test_other_words_or_another_session_make_the_commit_fail(store: Store) -> None:
    store.transaction_now(lambda transaction: insert_session(transaction, session("s2")))
    post(store)
    before = contents(store)
    for wrong in (
        answering(text="Stop."),
        answering(session_id="s2", incarnation="incarnation-of-s2"),
    ):
        with pytest.raises(ScopeConflictError, match="posted message 'm1'") as error:
            committed(store, wrong)
        assert error.value.code == "message-mismatch"
        assert contents(store) == before


def test_a_rolled_back_turn_leaves_the_message_waiting(store: Store) -> None:
    post(store)
    with pytest.raises(RowConflictError):
        committed(store, answering(runs=(), results=(), logical_turn_id=None))
    assert store.read_now(lambda reading: get_posted(reading, "m1")) is not None


def test_an_id_is_posted_once_and_never_over_a_committed_one(store: Store) -> None:
    store.transaction_now(lambda transaction: insert_session(transaction, session("s2")))
    post(store)
    committed(store, full_commit())
    for session_id in ("s1", "s2"):
        for taken in ("m1", "said-t1"):
            with pytest.raises(ScopeConflictError, match="is taken"):
                post(store, taken, session_id)


def test_posted_messages_go_with_their_session(store: Store) -> None:
    post(store)
    store.transaction_now(lambda transaction: delete_session(transaction, "s1"))
    assert contents(store)["posted_messages"] == []
    with pytest.raises(RowConflictError):
        post(store, "m2")
