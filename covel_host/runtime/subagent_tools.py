"""Which of its runtime's tools a sub-agent keeps (seed: 子 agent（delegate）, 子 agent)."""

from collections.abc import Mapping
from typing import Final

from covel_host.runtime.loop_tools import RUNTIME_DONE, SUSPEND
from covel_host.runtime.run import RuntimeRun
from covel_host.tools.refusals import DELEGATE
from covel_host.tools.registry import RegisteredTool
from covel_host.tools.service_tools import ServiceTool

_NEVER: Final = frozenset({DELEGATE, SUSPEND})


def left_out(run: RuntimeRun, tools: Mapping[str, RegisteredTool]) -> dict[str, str]:
    """Those that the run has to do without, each with the reason; none, of one that is not nested.

    A sub-agent keeps those that only read, which of a data set are `get` and `list`; imported
    services, of which those that write are there only when the caller may stage; and its own way
    to end. It neither delegates nor suspends.
    """
    if run.nested is None:
        return {}
    if not run.nested.is_in_subagent:
        return {SUSPEND: "a run inside another one does not suspend"} if SUSPEND in tools else {}
    reasons = {name: _reason(name, found) for name, found in tools.items()}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def _reason(name: str, found: RegisteredTool) -> str | None:
    if name in _NEVER:
        return "a sub-agent neither delegates nor suspends"
    if name == RUNTIME_DONE or isinstance(found.tool, ServiceTool):
        return None
    return None if found.tool.annotations.read_only else "a sub-agent keeps tools that only read"
