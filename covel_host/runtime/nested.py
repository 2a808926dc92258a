"""Runs inside a run: the port through which a run reaches the other runtimes of its session.

Sub-agents and recursive calls ask here for a whole run of another runtime (spec/execution.md 7, 8).
The runtime is one of the catalog that the execution leased; its writes belong to the caller's unit.
"""

from dataclasses import dataclass
from typing import Protocol

from covel_host.base.cancel_signal import CancelSignal
from covel_host.proposals.staging import Staging
from covel_host.runtime.nested_limits import SubagentLimits
from covel_host.runtime.nested_targets import NestedTarget, NestedTargets
from covel_host.runtime.prompt_inputs import HistoryRow
from covel_host.runtime.result import RuntimeResult
from covel_host.runtime.run_status import NestedKind
from covel_host.trace.log import RunTrace
from plugin_sdk.values import JsonObject, JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class SubagentTask:
    """What a sub-agent is given to do.

    `facts` are what the caller knows for it, or a character's own sheet and instruction; `history`
    is what the character has witnessed, empty for any other sub-agent. `max_steps` only lowers the
    provider's own limit.
    """

    brief: str
    facts: JsonObject | None = None
    history: tuple[HistoryRow, ...] = ()
    max_steps: int | None = None
    character_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedFacts:
    """What a run knows of the runs around it.

    `depth` counts them. `task` is what a sub-agent has to do; with `is_in_subagent` one of the runs
    around it is a sub-agent, or it is one itself. `may_write` says whether services may change data
    for it.
    """

    kind: NestedKind
    depth: int
    may_write: bool
    task: SubagentTask | None = None
    is_in_subagent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedRequest:
    """One run that is wanted inside another.

    `payload` is what a recursive call hands over. `signal`, `staging` and `trace` are those of the
    caller: the run stops with it, writes over what it has staged, and names it as its parent.
    `parent_call_id` is the tool call that asked, None where code did.
    """

    target: NestedTarget
    facts: NestedFacts
    signal: CancelSignal
    staging: Staging
    trace: RunTrace
    payload: JsonValue = None
    parent_call_id: str | None = None


class NestedRuns(Protocol):
    """Plays nested runs of one execution; one of these serves all its runs."""

    @property
    def targets(self) -> NestedTargets:
        """The runtimes of the session's packages."""
        ...

    @property
    def limits(self) -> SubagentLimits:
        """How many sub-agents the execution has begun, and may begin."""
        ...

    async def run(self, request: NestedRequest) -> RuntimeResult:
        """How the run went; a failure is a result, never an exception.

        Its proposals are handed back, not entered anywhere: the caller takes them or lets them go.
        The result is kept for the records of the turn, with the origin of `request.facts.kind`.
        `nested_settings.nested_run` makes an ordinary run of the target into this one.

        Raises:
            asyncio.CancelledError: the caller was cancelled; nothing of the run counts.
        """
        ...
