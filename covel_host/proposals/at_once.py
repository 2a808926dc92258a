"""A proposal that is committed at once, in a transaction of its own (spec/decisions.md 6).

For writers outside every execution, such as RPC actions: the same gate, rules and handlers as in
the commit of a turn, and no turn.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from covel_host.proposals.data_policies import DataPolicies
from covel_host.proposals.handlers import write_proposal
from covel_host.proposals.place import CommitPlace
from covel_host.proposals.staged import StagedProposal
from covel_host.store.sessions import advance_session, require_session
from covel_host.store.snapshots import prune_unkept
from covel_host.store.transaction import Transaction
from covel_host.trace.events import SessionEvent

NO_TURN: Final = ""
"""The turn of what is written and told outside every turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteAtOnce:
    """One checked proposal and where it goes; `policies` are those of the data sets."""

    session_id: str
    incarnation: str
    proposal: StagedProposal
    policies: DataPolicies
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAtOnce:
    """The session's revision after the write, and the events to send now that it is stored."""

    revision: int
    events: tuple[SessionEvent, ...]


def commit_at_once(transaction: Transaction, write: WriteAtOnce) -> WrittenAtOnce:
    """Write the proposal and move the session to its next revision; no snapshot is taken.

    Raises:
        ProposalRefused: a rule of its type, a media reference, or a data set's policy; the
            transaction rolls back and the session stays as it was.
        SessionNotFoundError: the session is gone, or is another incarnation by now.
    """
    session = require_session(transaction, write.session_id, incarnation=write.incarnation)
    place = CommitPlace(
        session_id=session.session_id,
        turn_id=NO_TURN,
        revision=session.revision + 1,
        at=write.at,
        locale=session.locale,
        policies=write.policies,
    )
    events = write_proposal(transaction, place, write.proposal)
    advanced = advance_session(transaction, session, turn_id=None, at=write.at)
    prune_unkept(transaction, advanced)
    return WrittenAtOnce(revision=advanced.revision, events=events)
