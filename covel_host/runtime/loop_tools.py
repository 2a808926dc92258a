"""The tools that steer the loop: one table for all that the loop knows of them.

Whether a call ends a run is decided by `completion`; a success counts there by the tool's own name
alone, whatever other tools return (seed: 同一批调用的执行, runtime-done, suspend, search-tools,
子 agent（delegate）).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from covel_host.tools.refusals import DELEGATE

RUNTIME_DONE: Final = "runtime-done"
SEARCH_TOOLS: Final = "search-tools"
SUSPEND: Final = "suspend"


@dataclass(frozen=True, slots=True)
class LoopTool:
    """What the loop makes of one tool.

    `is_work`: whether a success is business work. `is_deferrable`: whether `agent.tools.defer` may
    hide it; how a run ends has to be known from the start.
    """

    is_work: bool = False
    is_deferrable: bool = True


LOOP_TOOLS: Final[Mapping[str, LoopTool]] = MappingProxyType(
    {
        DELEGATE: LoopTool(is_work=True),
        RUNTIME_DONE: LoopTool(is_deferrable=False),
        SEARCH_TOOLS: LoopTool(is_deferrable=False),
        SUSPEND: LoopTool(),
    }
)
"""By name. Each is a barrier in its batch, whatever it is annotated with."""
