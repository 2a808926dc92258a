"""Where proposals are written, and the shapes their handlers share."""

from dataclasses import dataclass, field
from datetime import datetime

from covel_host.proposals.data_policies import NO_POLICIES, DataPolicies
from covel_host.proposals.staged import StagedProposal
from covel_host.store.records import CommittedFrom
from covel_host.trace.events import SessionEvent
from plugin_sdk.values import JsonObject, JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitPlace:
    """Where a proposal is written: the session, the turn, the new revision, the commit's time.

    `locale` is the session's content language. `dimension_provider_id` is the package that alone
    may write dimensions, `policies` those of the data sets.
    """

    session_id: str
    turn_id: str
    revision: int
    at: datetime
    locale: str
    dimension_provider_id: str | None = None
    policies: DataPolicies = field(default_factory=lambda: NO_POLICIES)

    def event(self, type: str, payload: JsonObject) -> SessionEvent:
        """An event of this commit, to be sent once it is stored."""
        return SessionEvent(
            type=type, session_id=self.session_id, turn_id=self.turn_id, payload=payload
        )

    def source(self, proposal: StagedProposal) -> CommittedFrom:
        """What an appended row says of where it comes from."""
        return CommittedFrom(
            session_id=self.session_id,
            revision=self.revision,
            turn_id=self.turn_id,
            plugin_id=proposal.plugin_id,
            runtime_id=proposal.runtime_id,
            proposal_id=proposal.proposal_id,
            created_at=self.at,
        )


def origin(proposal: StagedProposal) -> dict[str, JsonValue]:
    """The members of an event that say whose proposal it was."""
    return {"runtimeId": proposal.runtime_id, "pluginId": proposal.plugin_id}


def own_id(kind: str, proposal: StagedProposal) -> str:
    """The ID of the one thing a proposal makes; it follows from the proposal's own."""
    return f"{kind}-{proposal.proposal_id.removeprefix('proposal-')}"
