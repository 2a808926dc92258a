"""The buffer of one runtime run: what it wants written, until the execution commits."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence

from covel_host.proposals.data_entries import DataSource
from covel_host.proposals.data_policies import NO_POLICIES, DataPolicies
from covel_host.proposals.operations import Operation, RecordsBelow, views_of
from covel_host.proposals.overlay import PluginDataView
from covel_host.proposals.read_sets import ReadSet
from covel_host.proposals.staged import StagedProposal, check_proposal
from covel_host.proposals.world_view import WorldView
from plugin_sdk.proposals import Proposal

_NONE_HIDDEN: frozenset[str] = frozenset()


class Staging:
    """Collects a run's proposals in order and shows them in the run's views.

    `upstream` are the proposals of the upstream runs that succeeded, in execution order; `world`
    is a view over the same ones, None where the run may not look at the world. `policies` are
    those of the data sets, `new_id` makes proposal IDs. `reads` takes what the run looks at in
    either view; without it, that of `world`, or a new one. `source_of` gives the stored records of
    another package, whose services may write into this run's unit. A run that fails or suspends
    never hands its buffer on (spec/transactions.md 3.1).
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
        world: WorldView | None = None,
        policies: DataPolicies = NO_POLICIES,
        reads: ReadSet | None = None,
        source_of: Callable[[str], DataSource] | None = None,
    ) -> None:
        self.policies = policies
        self._source_of = source_of
        self._upstream = tuple(upstream)
        self._plugin_id = plugin_id
        self._runtime_id = runtime_id
        self._run_id = run_id
        self._new_id = new_id
        self._proposals: list[StagedProposal] = []
        self._one_at_a_time = asyncio.Lock()
        if reads is None:
            reads = ReadSet() if world is None else world.reads
        self.reads = reads
        self.world = world
        self.plugin_data = PluginDataView(
            source,
            plugin_id=plugin_id,
            upstream=self._upstream,
            policies=policies,
            reads=self.reads,
        )
        self._views = {plugin_id: self.plugin_data}

    @property
    def proposals(self) -> tuple[StagedProposal, ...]:
        """What was staged so far, in order."""
        return tuple(self._proposals)

    def open(self, *, may_write: bool) -> Operation:
        """An operation over this buffer: what it keeps is committed with the run."""
        return Operation(self)

    def nested(self, *, plugin_id: str, runtime_id: str, run_id: str) -> "Staging":
        """The buffer of a run that this run starts, over what is staged here.

        What it reads is read here as well. Whoever started it hands its proposals to `take`, or
        drops them.
        """
        return Staging(
            RecordsBelow(self, plugin_id),
            plugin_id=plugin_id,
            runtime_id=runtime_id,
            run_id=run_id,
            new_id=self._new_id,
            world=None if self.world is None else self.world.nested(),
            policies=self.policies,
            reads=ReadSet(),
            source_of=lambda other: RecordsBelow(self, other),
        )

    def data_of(self, plugin_id: str) -> PluginDataView:
        """The records of a package as this run left them; the run's own is `plugin_data`."""
        view = self._views.get(plugin_id)
        if view is None:
            assert self._source_of is not None, "this run reaches no other package's records"
            view = self._views[plugin_id] = PluginDataView(
                self._source_of(plugin_id),
                plugin_id=plugin_id,
                upstream=self._upstream,
                policies=self.policies,
                reads=self.reads,
            )
        return view

    def checked(
        self,
        proposal: Proposal | Mapping[str, object],
        *,
        plugin_id: str,
        hidden: frozenset[str] = _NONE_HIDDEN,
    ) -> StagedProposal:
        """A proposal of that package, made within this run; it was not staged.

        Raises:
            ProposalRefused: its payload does not fit its type.
        """
        return check_proposal(
            proposal,
            proposal_id=self._new_id(),
            plugin_id=plugin_id,
            runtime_id=self._runtime_id,
            run_id=self._run_id,
            hidden=hidden,
        )

    async def stage(
        self,
        proposals: Sequence[Proposal | Mapping[str, object]],
        *,
        hidden: frozenset[str] = _NONE_HIDDEN,
        after: Sequence[StagedProposal] = (),
    ) -> tuple[StagedProposal, ...]:
        """Check and buffer proposals, such as those of one tool call: all of them or none.

        They enter both views or neither. `hidden` are the namespaces whose `_hidden.<namespace>`
        they may write, for the code of a package's own function runtimes. `after` were written by
        services that the call used: they go first, and stand or fall with it.

        Raises:
            ProposalRefused: the first one that does not pass; nothing was staged.
        """
        checked = tuple(
            self.checked(proposal, plugin_id=self._plugin_id, hidden=hidden)
            for proposal in proposals
        )
        staged = (*after, *checked)
        await self.take(staged)
        return staged

    async def take(self, proposals: Sequence[StagedProposal]) -> None:
        """Buffer proposals that were checked before, all of them or none.

        Raises:
            ProposalRefused: the first one that does not apply.
        """
        if not proposals:
            return
        # Calls of one run may overlap. Each is worked out on what the one before it left, so that
        # the views and the buffer, which is what the commit gets, keep one order.
        async with self._one_at_a_time:
            data = [(view, await view.prepared(proposals)) for view in views_of(self, proposals)]
            world = None if self.world is None else self.world.prepared(proposals)
            for view, records in data:
                view.enter(records)
            if self.world is not None:
                self.world.enter(world)
            self._proposals.extend(proposals)
