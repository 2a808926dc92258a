"""Facts about one executed tool call, and which failures count against the runtime."""

from dataclasses import dataclass

from covel_host.runtime.loop_tools import LOOP_TOOLS
from covel_host.tools.refusals import RaisedBy, is_refused


@dataclass(frozen=True, slots=True)
class CallFailure:
    """Why a call failed: a code of `TOOL_ERROR_CODES` and who raised it."""

    code: str
    raised_by: RaisedBy

    @property
    def is_refused(self) -> bool:
        """The `refused` flag of the call's record: a failure the runtime is not blamed for."""
        return is_refused(self.code, self.raised_by)

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
