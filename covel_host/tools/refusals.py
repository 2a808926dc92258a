"""Which failed calls are flagged `refused`: failures that the run which called is not blamed for.

A code and this flag are two things (seed: 统一返回格式与错误码).
"""

from typing import Final, Literal, TypeAlias

DELEGATE: Final = "delegate"
"""The tool whose errors are those of a sub-agent."""

RaisedBy: TypeAlias = Literal["tool", "host", "hook", "service", "delegate", "loop"]
"""Who ended a call with an error.

`tool`: the executed tool itself. `host`: argument check, authorisation, approval, time limit,
cancellation. `hook`: a `pre_tool_use` hook aborted the call. `service`: an imported service failed.
`delegate`: a sub-agent failed. `loop`: the call was never run, because a hook, a suspension or the
end of the loop came first.
"""


def is_refused(code: str, raised_by: RaisedBy) -> bool:
    """Whether a failure is flagged `refused`.

    A refusal that the executed tool raised is, a service's failure other than input and
    cancellation, and a sub-agent's other than input.
    """
    if raised_by == "tool":
        return code == "refused"
    if raised_by == "service":
        return code not in ("invalid-input", "cancelled")
    return raised_by == "delegate" and code != "invalid-input"
