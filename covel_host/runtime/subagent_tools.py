"""Which of its runtime's tools a sub-agent keeps (seed: 子 agent（delegate）, 子 agent)."""

from collections.abc import Mapping
from typing import Final

from covel_host.runtime.loop_tools import RUNTIME_DONE, SUSPEND
from covel_host.runtime.run import RuntimeRun
from covel_host.tools.refusals import DELEGATE
from covel_host.tools.registry import RegisteredTool
from covel_host.tools.service_tools import ServiceTool

_NEVER: Final = frozenset({DELEGATE, SUSPEND})


def narrowed(run: RuntimeRun, tools: Mapping[str, RegisteredTool]) -> dict[str, RegisteredTool]:
    """All of them, of a run that is no sub-agent.

    A sub-agent keeps those that only read, which of a data set are `get` and `list`; imported
    services, of which those that write are there only when the caller may stage; and its own way
    to end. It neither delegates nor suspends.
    """
    if run.nested is None:
        return dict(tools)
    if not run.nested.is_in_subagent:
        return {name: found for name, found in tools.items() if name != SUSPEND}
    return {name: found for name, found in tools.items() if _is_kept(name, found)}


def _is_kept(name: str, found: RegisteredTool) -> bool:
    if name in _NEVER:
        return False
    if name == RUNTIME_DONE or isinstance(found.tool, ServiceTool):
        return True
    return found.tool.annotations.read_only
