"""Facts about one executed tool call, and which failures count against the runtime.

A code and the question whether a failure counts are two things (seed: 统一返回格式与错误码): only a
refusal raised by the executed tool itself, service failures other than input and cancellation, and
delegate failures other than input are flagged `refused` and do not count.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from covel_host.runtime.loop_tools import LOOP_TOOLS

RaisedBy: TypeAlias = Literal["tool", "host", "hook", "service", "delegate", "loop"]
"""Who ended a call with an error.

`tool`: the executed tool itself. `host`: argument check, authorisation, approval, time limit,
cancellation. `hook`: a `pre_tool_use` hook aborted the call. `service`: an imported service failed.
`delegate`: a sub-agent failed. `loop`: the call was never run, because a hook, a suspension or the
end of the loop came first.
"""


@dataclass(frozen=True, slots=True)
class CallFailure:
    """Why a call failed: a code of `TOOL_ERROR_CODES` and who raised it."""

    code: str
    raised_by: RaisedBy

    @property
    def is_refused(self) -> bool:
        """The `refused` flag of the call's record: a failure the runtime is not blamed for."""
        if self.raised_by == "tool":
            return self.code == "refused"
        if self.raised_by == "service":
            return self.code not in ("invalid-input", "cancelled")
        return self.raised_by == "delegate" and self.code != "invalid-input"

    @property
    def counts_in_agent(self) -> bool:
        """Whether an agent has to make up for it; a call that never ran asks nothing."""
        return self.raised_by not in ("hook", "loop") and not self.is_refused


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """One call of a reply after it was run or skipped.

    `tool` is the final name, after `pre_tool_use`; `arguments` the JSON text that stands in the
    history; `read_only` the tool's annotation. `failure` is `None` for a success.
    """

    call_id: str
    tool: str
    arguments: str = "{}"
    read_only: bool = False
    failure: CallFailure | None = None

    @property
    def is_success(self) -> bool:
        return self.failure is None

    @property
    def was_run(self) -> bool:
        return self.failure is None or self.failure.raised_by not in ("hook", "loop")

    @property
    def is_business_work(self) -> bool:
        """A success of a tool that is neither loop control nor read-only."""
        steers = self.tool in LOOP_TOOLS and not LOOP_TOOLS[self.tool].is_work
        return self.is_success and not self.read_only and not steers
