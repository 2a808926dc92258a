"""Which tools an agent's model sees and which it may call (spec/execution.md 5.4)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from covel_host.base.errors import HostError
from covel_host.models.messages import ToolSpec
from covel_host.runtime.completion_calls import RUNTIME_DONE
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.run import RuntimeRun
from covel_host.tools.pools import CallTarget
from covel_host.tools.registry import ToolRegistry
from plugin_sdk.tools import Tool


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

    `offered` is what the model sees, in declared order; `authorized` every name it may call;
    `own` the offered names of the package itself. `missing` names the builtin tools this host
    lacks: they are left out.
    """

    offered: tuple[ToolSpec, ...]
    authorized: frozenset[str]
    own: tuple[str, ...]
    missing: tuple[str, ...]
    targets: Mapping[str, CallTarget]


def agent_tools(
    run: RuntimeRun, registry: ToolRegistry, settings: CompletionSettings
) -> AgentTools:
    """The tools of `run`.

    `runtime-done` is added where the completion rules use it; a story runtime may call it, but it
    is not offered (seed: 授权).

    Raises:
        ToolNotRegistered: before any model call, also for a tool the model would not need.
    """
    own = [_own(run, registry, name) for name in _declared(run)]
    builtin, missing = _builtins(run, registry, settings)
    offered = [
        tool for tool in (*own, *builtin) if not (tool.name == RUNTIME_DONE and settings.is_story)
    ]
    return AgentTools(
        offered=tuple(ToolSpec(tool.name, tool.description, tool.input_schema) for tool in offered),
        authorized=frozenset(tool.name for tool in (*own, *builtin)),
        own=tuple(tool.name for tool in own),
        missing=tuple(missing),
        targets={tool.name: _target(tool) for tool in (*own, *builtin)},
    )


def _declared(run: RuntimeRun) -> Iterable[str]:
    declared = run.manifest.agent_settings.tools.plugin
    if declared is not None:
        return dict.fromkeys(declared)
    # An inline agent that says nothing gets all contributed tools (spec/manifest.md 5.4).
    is_inline = bool(run.reading.field_prefix)
    return run.contributed_tools if is_inline else ()


def _own(run: RuntimeRun, registry: ToolRegistry, name: str) -> Tool[Any, Any]:
    found = registry.find(name, plugin_id=run.plugin_id)
    if found is None or found.source != "local":
        raise ToolNotRegistered(run.runtime_id, name)
    return found.tool


def _builtins(
    run: RuntimeRun, registry: ToolRegistry, settings: CompletionSettings
) -> tuple[list[Tool[Any, Any]], list[str]]:
    names = dict.fromkeys(run.manifest.agent_settings.tools.builtin)
    if settings.authorizes_runtime_done:
        names[RUNTIME_DONE] = None
    tools, missing = [], []
    for name in names:
        found = registry.find(name, plugin_id=run.plugin_id)
        if found is None:
            missing.append(name)
        else:
            tools.append(found.tool)
    return tools, missing


def _target(tool: Tool[Any, Any]) -> CallTarget:
    return CallTarget(
        read_only=tool.annotations.read_only,
        concurrency_safe=tool.annotations.concurrency_safe,
        authorized=True,
    )
