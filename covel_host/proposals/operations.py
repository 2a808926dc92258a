"""Writes that count only once they are kept: what services write, in the unit of their caller.

An operation lies over a run's buffer or over another operation and sees what is below. Kept, all
of it goes down one layer, or nothing does; withdrawn, it leaves no trace. So a tool call that fails
after a service has answered takes that service's writes with it (spec/transactions.md 7).
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol

from covel_host.base.errors import HostError
from covel_host.proposals.data_entries import DataEntry
from covel_host.proposals.data_policies import DataPolicies
from covel_host.proposals.overlay import PluginDataView
from covel_host.proposals.plugin_data_rules import hidden_name
from covel_host.proposals.staged import StagedProposal
from plugin_sdk.proposals import Proposal


class OperationEnded(HostError):
    """An operation was kept or withdrawn, so nothing enters it any more."""

    def __init__(self) -> None:
        super().__init__(
            "The call that these writes belong to has ended; they are dropped.",
            code="operation-ended",
        )


class Layer(Protocol):
    """What an operation lies over."""

    @property
    def policies(self) -> DataPolicies:
        """The policies of the data sets that may be written."""
        ...

    def data_of(self, plugin_id: str) -> PluginDataView:
        """The records of a package as this layer shows them."""
        ...

    def checked(
        self, proposal: Proposal | Mapping[str, object], *, plugin_id: str
    ) -> StagedProposal:
        """A proposal of that package, made within the run this layer belongs to.

        Raises:
            ProposalRefused: its payload does not fit its type.
        """
        ...

    async def take(self, proposals: Sequence[StagedProposal]) -> None:
        """Enter checked proposals, all or none.

        Raises:
            ProposalRefused: one does not apply to the records as they are here by now.
            OperationEnded: this layer takes nothing any more.
        """
        ...


class Operation:
    """The writes of one call; a layer for the operations that are opened over it.

    `was_opened` says that a call which may write was begun over this one, whatever became of it.
    """

    def __init__(self, below: Layer) -> None:
        self._below = below
        self._views: dict[str, PluginDataView] = {}
        self._proposals: list[StagedProposal] = []
        self._one_at_a_time = asyncio.Lock()
        self._has_ended = False
        self.was_opened = False

    @property
    def policies(self) -> DataPolicies:
        """Those of the layer below."""
        return self._below.policies

    @property
    def proposals(self) -> tuple[StagedProposal, ...]:
        """What was written so far, in order, operations kept in this one included."""
        return tuple(self._proposals)

    def open(self, *, may_write: bool) -> "Operation":
        """An operation over this one, for a call that may write or one that only reads."""
        self.was_opened = self.was_opened or may_write
        return Operation(self)

    def data_of(self, plugin_id: str) -> PluginDataView:
        """The records of a package: those of the layer below with what was written here."""
        view = self._views.get(plugin_id)
        if view is None:
            # Reads are recorded at the bottom: a record that was written here has no version.
            view = self._views[plugin_id] = PluginDataView(
                RecordsBelow(self._below, plugin_id), plugin_id=plugin_id, policies=self.policies
            )
        return view

    def checked(
        self, proposal: Proposal | Mapping[str, object], *, plugin_id: str
    ) -> StagedProposal:
        return self._below.checked(proposal, plugin_id=plugin_id)

    async def stage(self, proposal: Proposal | Mapping[str, object], *, plugin_id: str) -> None:
        """Write something of that package.

        Raises:
            ProposalRefused: it breaks a rule or does not apply; nothing was written.
            OperationEnded: the operation was kept or withdrawn.
        """
        await self.take([self.checked(proposal, plugin_id=plugin_id)])

    async def take(self, proposals: Sequence[StagedProposal]) -> None:
        async with self._one_at_a_time:
            data = [(view, await view.prepared(proposals)) for view in views_of(self, proposals)]
            if self._has_ended:
                raise OperationEnded
            for view, records in data:
                view.enter(records)
            self._proposals.extend(proposals)

    async def keep(self) -> None:
        """Hand everything on to the layer below, which decides: it may have changed meanwhile.

        Raises:
            ProposalRefused: something does not apply there any more; nothing was handed on.
            OperationEnded: this operation or the layer below has ended.
        """
        if self._has_ended:
            raise OperationEnded
        self._has_ended = True
        if self._proposals:
            await self._below.take(self._proposals)

    def withdraw(self) -> None:
        """Take nothing any more; what was not kept counts for nothing."""
        self._has_ended = True


class RecordsBelow:
    """The records of one package in a layer, as the stored side of the view over it.

    That view alone says which hidden namespaces are open to whom.
    """

    def __init__(self, layer: Layer, plugin_id: str) -> None:
        self._layer = layer
        self._plugin_id = plugin_id

    async def get(self, namespace: str, key: str) -> DataEntry | None:
        view = self._layer.data_of(self._plugin_id)
        return await view.find(namespace, key, hidden=_opened(namespace))

    async def list(self, namespace: str, *, after: str, limit: int) -> Sequence[DataEntry]:
        view = self._layer.data_of(self._plugin_id)
        hidden = _opened(namespace)
        return await view.list(namespace, after=after, limit=limit, hidden=hidden)


def _opened(namespace: str) -> frozenset[str]:
    name = hidden_name(namespace)
    return frozenset() if name is None else frozenset({name})


def views_of(layer: Layer, proposals: Sequence[StagedProposal]) -> list[PluginDataView]:
    """The views of a layer that show something of the proposals."""
    return [layer.data_of(plugin_id) for plugin_id in {one.plugin_id: None for one in proposals}]
