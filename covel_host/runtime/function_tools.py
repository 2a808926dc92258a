"""Which tools a function runtime may call: those that `function.tools` names."""

from collections.abc import Mapping
from dataclasses import dataclass

from covel_host.runtime.agent_tools import ToolNotRegistered
from covel_host.runtime.run import RuntimeRun
from covel_host.tools.registry import RegisteredTool, ToolRegistry


@dataclass(frozen=True, slots=True)
class FunctionTools:
    """The tools a function runtime may call, by name; `missing` are builtins this host lacks."""

    resolved: Mapping[str, RegisteredTool]
    missing: tuple[str, ...]


def function_tools(run: RuntimeRun, registry: ToolRegistry) -> FunctionTools:
    """What `function.tools` of the manifest names.

    Raises:
        ToolNotRegistered: the package declares a tool of its own that its entry did not register.
    """
    function = run.manifest.function
    declared = () if function is None else dict.fromkeys(function.tools.plugin)
    builtin = () if function is None else dict.fromkeys(function.tools.builtin)
    resolved = registry.resolve((*declared, *builtin), plugin_id=run.plugin_id)
    for name in declared:
        if name not in resolved or resolved[name].source != "local":
            raise ToolNotRegistered(run.runtime_id, name)
    return FunctionTools(resolved, tuple(name for name in builtin if name not in resolved))
