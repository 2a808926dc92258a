"""What the handler of a function runtime gets (spec/manifest.md 12.4)."""

from covel_host.runtime.call_life import CallLife
from covel_host.runtime.function_calls import FunctionCalls
from covel_host.runtime.guard_context import RunContext
from covel_host.runtime.progress import RunProgress
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.run_agents import RunAgents
from covel_host.runtime.run_gateway import RunGateway
from covel_host.runtime.run_media import RunMedia
from covel_host.runtime.service_access import RunServices, ServiceAccess


class FunctionRunContext(RunContext):
    """The `FunctionContext` of one run.

    It reaches the `_hidden.*` of the namespaces that its package declares (spec/decisions.md 6).
    """

    def __init__(
        self,
        run: RuntimeRun,
        ports: RunPorts,
        life: CallLife,
        *,
        gateway: RunGateway,
        media: RunMedia,
        tools: FunctionCalls,
        services: RunServices,
    ) -> None:
        super().__init__(
            run,
            ports,
            life,
            stream="handler",
            gateway=gateway,
            media=media,
            hidden=run.data_namespaces,
        )
        self._agents = RunAgents(run, ports, life)
        self._progress = RunProgress(run, ports, life)
        self._tools = tools
        self._services = services.of(
            life, call_id=None, path=("handler",), signal=run.signal, scope=run.staging
        )

    @property
    def tools(self) -> FunctionCalls:
        return self._tools

    @property
    def services(self) -> ServiceAccess:
        return self._services

    @property
    def agents(self) -> RunAgents:
        return self._agents

    @property
    def progress(self) -> RunProgress:
        return self._progress
