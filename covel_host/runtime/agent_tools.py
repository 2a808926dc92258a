"""Which tools an agent's model sees and which it may call (spec/execution.md 5.4)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from covel_host.base.errors import HostError
from covel_host.models.messages import NamedTool, ToolChoice, ToolSpec
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.loop_tools import LOOP_TOOLS, RUNTIME_DONE
from covel_host.runtime.run import RuntimeRun
from covel_host.runtime.subagent_tools import left_out
from covel_host.tools.dataset_tools import dataset_tools
from covel_host.tools.pools import CallTarget
from covel_host.tools.registry import CallableTool, RegisteredTool, ToolRegistry
from covel_host.tools.service_tools import ImportedTools, ServiceTool, imported_tools
from covel_host.tools.tool_search import SearchTools, spec_of
from covel_host.tools.turn_policy import TURN_POLICY, turn_policy_tool


class ToolNotRegistered(HostError):
    """A runtime declares a plugin tool that its entry did not register."""

    def __init__(self, runtime_id: str, tool_name: str) -> None:
        super().__init__(
            f'runtime "{runtime_id}" declares plugin tool "{tool_name}", but its plugin did not '
            "register it",
            code="tool-not-registered",
            hint="Return the tool from register_tools in the entry module.",
        )


@dataclass(frozen=True, slots=True)
class AgentTools:
    """The tools of one run.

    `preloaded` is what the model sees from the start, in declared order; `search` holds the tools
    that the runtime deferred. `resolved` are all that it may call, by name.
    `own` are offered names of the package itself, those of its data sets as far as they need no
    record that is there already. `missing` names the builtin tools this host lacks. `left_out` are
    those that a nested run has to do without, `absent` imports that have no usable provider, each
    with the text that says why.
    """

    preloaded: tuple[ToolSpec, ...]
    resolved: Mapping[str, RegisteredTool]
    own: tuple[str, ...]
    missing: tuple[str, ...]
    targets: Mapping[str, CallTarget]
    left_out: Mapping[str, str] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)
    search: SearchTools | None = None

    @property
    def offered(self) -> tuple[ToolSpec, ...]:
        """What the model sees now; what it has found comes last, so that a prefix stays as it is.

        A provider may keep it from one request to the next.
        """
        return self.preloaded if self.search is None else (*self.preloaded, *self.search.loaded)

    def offer(self, choice: ToolChoice) -> None:
        """See to it that a tool the model is about to be forced to call is offered."""
        if self.search is not None and isinstance(choice, NamedTool):
            self.search.load([choice.name])

    @property
    def authorized(self) -> frozenset[str]:
        """Every name the model may call; a call of an absent one is answered with its reason."""
        return frozenset((*self.resolved, *self.absent))


def agent_tools(
    run: RuntimeRun, registry: ToolRegistry, settings: CompletionSettings
) -> AgentTools:
    """The tools of `run`.

    `runtime-done` is added where the completion rules use it; a story runtime may call it, but it
    is not offered (seed: 授权).

    Raises:
        ToolNotRegistered: before any model call, also for a tool the model would not need.
    """
    own = {name: _own(run, registry, name) for name in _declared(run)}
    imported = _imported_services(run)
    generated = {**_chosen_dataset_tools(run), **imported.tools}
    wanted = _wanted_builtins(run, settings)
    builtin = registry.resolve(wanted, plugin_id=run.plugin_id)
    found_all = {**own, **generated, **builtin}
    without = left_out(run, found_all)
    resolved = {name: found for name, found in found_all.items() if name not in without}
    deferred = _deferred(run, resolved)
    search = SearchTools(deferred, plugin_id=run.plugin_id) if deferred else None
    hidden = {tool.name for tool in deferred} | ({RUNTIME_DONE} if settings.is_story else set())
    offered = [found.tool for name, found in resolved.items() if name not in hidden]
    return AgentTools(
        preloaded=(*map(spec_of, offered), *(() if search is None else (spec_of(search),))),
        search=search,
        resolved=resolved,
        own=tuple(name for name in (*own, *_callable_at_once(generated)) if name in resolved),
        missing=tuple(name for name in wanted if name not in builtin),
        targets={name: _target(found.tool) for name, found in resolved.items()},
        left_out=without,
        absent=imported.absent,
    )


def _chosen_dataset_tools(run: RuntimeRun) -> dict[str, RegisteredTool]:
    """The tools of the data sets that the runtime chose; loading has checked its choices."""
    tools: dict[str, RegisteredTool] = {}
    for choice in run.manifest.agent_settings.tools.dataset_choices:
        tools |= dataset_tools(run.datasets[choice.dataset], chosen=choice.tools)
    return tools


def _imported_services(run: RuntimeRun) -> ImportedTools:
    imported = imported_tools(
        run.manifest.agent_settings.tools.service_imports,
        run.services,
        runtime_id=run.runtime_id,
        may_write=run.may_write_through_services,
    )
    actions = [] if run.player_message is None else [{"text": run.player_message}]
    tools = {
        name: RegisteredTool(turn_policy_tool(name, tool.tool.offered, actions=actions), "local")
        if isinstance(tool.tool, ServiceTool) and tool.tool.offered.service.contract == TURN_POLICY
        else tool
        for name, tool in imported.tools.items()
    }
    return ImportedTools(tools, imported.absent)


def _deferred(run: RuntimeRun, resolved: Mapping[str, RegisteredTool]) -> list[CallableTool]:
    """The tools of `agent.tools.defer`: the model finds them by `search-tools`."""
    wanted = run.manifest.agent_settings.tools.defer
    return [
        found.tool
        for name, found in resolved.items()
        if (wanted is True or name in wanted) and _is_deferrable(name)
    ]


def _is_deferrable(name: str) -> bool:
    return name not in LOOP_TOOLS or LOOP_TOOLS[name].is_deferrable


def _callable_at_once(generated: Mapping[str, RegisteredTool]) -> Iterable[str]:
    return (
        name
        for name, found in generated.items()
        if found.source == "dataset" and name.endswith(("-list", "-upsert"))
    )


def _declared(run: RuntimeRun) -> Iterable[str]:
    declared = run.manifest.agent_settings.tools.plugin
    if declared is not None:
        return dict.fromkeys(declared)
    # An inline agent that says nothing gets all contributed tools (spec/manifest.md 5.4).
    is_inline = bool(run.reading.field_prefix)
    return run.contributed_tools if is_inline else ()


def _own(run: RuntimeRun, registry: ToolRegistry, name: str) -> RegisteredTool:
    found = registry.find(name, plugin_id=run.plugin_id)
    if found is None or found.source != "local":
        raise ToolNotRegistered(run.runtime_id, name)
    return found


def _wanted_builtins(run: RuntimeRun, settings: CompletionSettings) -> tuple[str, ...]:
    names = dict.fromkeys(run.manifest.agent_settings.tools.builtin)
    if settings.authorizes_runtime_done:
        names[RUNTIME_DONE] = None
    return tuple(names)


def _target(tool: CallableTool) -> CallTarget:
    return CallTarget(
        read_only=tool.annotations.read_only,
        concurrency_safe=tool.annotations.concurrency_safe,
        authorized=True,
    )
