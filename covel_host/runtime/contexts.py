"""The context of a tool call; it dies with the call it was made for."""

from collections.abc import Awaitable, Callable, Sequence

from covel_host.base.cancel_signal import CancelSignal
from covel_host.proposals.operations import Operation
from covel_host.proposals.staged import StagedProposal
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.call_store import CallStore
from covel_host.runtime.lived_history import lived_history
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.service_access import RunServices, ServiceAccess
from covel_host.runtime.turn_facts import TurnFacts
from covel_host.tools.calls import ToolRequest
from plugin_sdk.proposals import Proposal
from plugin_sdk.records import TurnMessage

Topics = Callable[[], tuple[str, ...]]
"""The topics of the events that the calls of a run have emitted so far."""


class OpenToolCall:
    """One call while it runs: its context, and the way to end it."""

    def __init__(
        self,
        run: RuntimeRun,
        ports: RunPorts,
        services: RunServices,
        emitted: Topics,
        request: ToolRequest,
        signal: CancelSignal,
    ) -> None:
        self._life = CallLife()
        self.context = ToolCallContext(run, ports, services, request, signal, self._life, emitted)

    @property
    def writes(self) -> Operation | None:
        """What services wrote for the call; None while it has used none."""
        return self.context.writes

    def reads_ended(self) -> Awaitable[None]:
        """Return when every read that the call began has ended."""
        return self._life.uses_ended()

    def close(self) -> None:
        """End the call: its reads give nothing any more, and its services write nothing more."""
        self._life.end()
        writes = self.context.writes
        if writes is not None:
            writes.withdraw()


class ToolCallContext(TurnFacts):
    """The `ToolContext` of one call (spec/manifest.md 9.3).

    What this host does not serve yet answers `ToolError("unavailable")`; after the end of the call
    every read does.
    """

    def __init__(
        self,
        run: RuntimeRun,
        ports: RunPorts,
        services: RunServices,
        request: ToolRequest,
        signal: CancelSignal,
        life: CallLife,
        emitted: Topics,
    ) -> None:
        self._request = request
        self._emitted = emitted
        self._all_services = services
        self._services: ServiceAccess | None = None
        self.writes: Operation | None = None
        super().__init__(
            run,
            ports,
            life,
            signal=signal,
            stream=request.position,
            store=CallStore(run.staging.plugin_data, run.session, life),
        )

    @property
    def pending_proposals(self) -> Sequence[Proposal]:
        self._life.check()
        return _models(self._run.staging.proposals)

    @property
    def upstream_proposals(self) -> Sequence[Proposal]:
        self._life.check()
        return _models(self._run.upstream)

    @property
    def emitted_event_topics(self) -> Sequence[str]:
        return self._emitted()

    @property
    def services(self) -> ServiceAccess:
        if self._services is None:
            # Made on first use: most calls need none.
            self.writes = self._run.staging.open(may_write=False)
            self._services = self._all_services.of(
                self._life,
                call_id=self._request.call_id,
                path=(self._request.position,),
                signal=self._signal,
                scope=self.writes,
            )
        return self._services

    async def history_for(
        self, character_id: str, *, limit: int | None = None
    ) -> list[TurnMessage]:
        return await self._life.use(lambda: lived_history(self._run, character_id, limit=limit))


def _models(staged: Sequence[StagedProposal]) -> list[Proposal]:
    return [one.model.model_copy(deep=True) for one in staged]
