"""What an RPC action writes: each proposal committed at once, and told once it is stored."""

from collections.abc import Mapping
from dataclasses import dataclass

from covel_host.catalog.dataset_policies import dataset_policies
from covel_host.catalog.generation import Generation
from covel_host.proposals.at_once import WriteAtOnce, commit_at_once
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.staged import StagedProposal, check_proposal
from covel_host.runtime.package_data import refused_write
from covel_host.store.errors import StoreError
from covel_host.store.records import SessionRecord
from covel_host.turn.announcer import Announcer
from covel_host.turn.ports import TurnPorts
from plugin_sdk.errors import ToolError


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Who writes: one call of an action, in whose name every proposal is made."""

    session: SessionRecord
    generation: Generation
    invocation_id: str
    runtime_id: str | None


class ActionWrites:
    """The writes of one call; `count` of them, the last of which made `revision`."""

    def __init__(self, writer: Writer, ports: TurnPorts, announcer: Announcer) -> None:
        self._writer = writer
        self._ports = ports
        self._announcer = announcer
        self._policies = dataset_policies([writer.generation])
        self.count = 0
        self.revision = writer.session.revision

    async def write(self, proposal_type: str, payload: Mapping[str, object]) -> None:
        """Commit one proposal in a transaction of its own; it stays, whatever follows.

        Raises:
            ToolError: it was refused and nothing was changed, or the store failed.
        """
        try:
            write = WriteAtOnce(
                session_id=self._writer.session.session_id,
                incarnation=self._writer.session.incarnation,
                proposal=self._checked({"type": proposal_type, "payload": payload}),
                policies=self._policies,
                at=self._ports.clock.now(),
            )
            written = await self._ports.store.transaction(
                lambda transaction: commit_at_once(transaction, write)
            )
        except ProposalRefused as refusal:
            raise refused_write(refusal) from refusal
        except StoreError as error:
            raise ToolError("unavailable", error.message, hint=error.hint) from error
        self.wrote(written.revision)
        await self._announcer.pass_on(written.events)

    def wrote(self, revision: int) -> None:
        """Count a write that was committed as `revision`."""
        self.count += 1
        self.revision = revision

    def _checked(self, proposal: Mapping[str, object]) -> StagedProposal:
        return check_proposal(
            proposal,
            proposal_id=self._ports.ids.new("proposal"),
            plugin_id=self._writer.generation.plugin_id,
            runtime_id=self._writer.runtime_id or "",
            run_id=self._writer.invocation_id,
        )
