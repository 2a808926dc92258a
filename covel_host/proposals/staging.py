"""The buffer of one runtime run: what it wants written, until the execution commits."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from covel_host.proposals.overlay import DataSource, PluginDataView
from covel_host.proposals.staged import StagedProposal, check_proposal
from plugin_sdk.proposals import Proposal


class Staging:
    """Collects a run's proposals in order and shows them in the run's view of plugin data.

    `upstream` are the proposals of the upstream runs that succeeded, in execution order;
    `new_id` makes proposal IDs. A run that fails or suspends never hands its buffer on
    (spec/transactions.md 3.1).
    """

    def __init__(
        self,
        source: DataSource,
        *,
        plugin_id: str,
        runtime_id: str,
        run_id: str,
        new_id: Callable[[], str],
        upstream: Iterable[StagedProposal] = (),
    ) -> None:
        self._plugin_id = plugin_id
        self._runtime_id = runtime_id
        self._run_id = run_id
        self._new_id = new_id
        self._proposals: list[StagedProposal] = []
        self.plugin_data = PluginDataView(source, plugin_id=plugin_id, upstream=upstream)

    @property
    def proposals(self) -> tuple[StagedProposal, ...]:
        """What was staged so far, in order."""
        return tuple(self._proposals)

    async def stage(
        self, proposals: Sequence[Proposal | Mapping[str, object]]
    ) -> tuple[StagedProposal, ...]:
        """Check and buffer proposals, such as those of one tool call: all of them or none.

        Raises:
            ProposalRefused: the first one that does not pass; nothing was staged.
        """
        checked = tuple(
            check_proposal(
                proposal,
                proposal_id=self._new_id(),
                plugin_id=self._plugin_id,
                runtime_id=self._runtime_id,
                run_id=self._run_id,
            )
            for proposal in proposals
        )
        await self.plugin_data.stage(checked)
        self._proposals.extend(checked)
        return checked
