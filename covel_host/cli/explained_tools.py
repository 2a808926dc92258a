"""Why each run of an execution had its tools and no others, and why calls were refused."""

from collections.abc import Iterable, Iterator

from covel_host.cli.output import safe_text, table
from covel_host.runtime.result import RuntimeResult
from covel_host.runtime.tool_standings import ToolStanding
from covel_host.tools.approval import ApprovalPolicy, ApprovalRule
from covel_host.tools.calls import CallError
from covel_host.tools.registry import ToolSource
from plugin_sdk.names import FRAMEWORK_TOOL_NAMES

_DENIED = "; a rule of this host denies its calls (docs/settings.md)"
_NOT_LISTED = "not listed"
_AUTHORS = ("tool", "service", "delegate")
"""Who ends calls that were allowed."""


class ExplainedTools:
    """Collects the standings of the runs of an execution; `take` is handed to the host."""

    def __init__(self, rules: Iterable[ApprovalRule]) -> None:
        self._policy = ApprovalPolicy(rules)
        self._runs: list[tuple[str, tuple[ToolStanding, ...]]] = []

    def take(self, runtime_id: str, standings: tuple[ToolStanding, ...]) -> None:
        """Remember what a run says that begins."""
        self._runs.append((runtime_id, standings))

    def text(self, results: Iterable[RuntimeResult]) -> str:
        """A table for each run, with the builtin tools that nobody asked for in one line."""
        refused = list(_refused(results))
        blocks = [self._block(runtime_id, standings) for runtime_id, standings in self._runs]
        if refused:
            lines = (
                f"  {name} in {runtime_id}: {message}" for runtime_id, name, message in refused
            )
            blocks.append("Calls that were not carried out:\n" + "\n".join(lines) + "\n")
        return safe_text("\n".join(blocks))

    def to_json(self, results: Iterable[RuntimeResult]) -> dict[str, object]:
        """`{runs: [{runtimeId, tools: [{name, standing, reason}]}], refusedCalls: [...]}`."""
        return {
            "runs": [
                {"runtimeId": runtime_id, "tools": [self._json(one) for one in standings]}
                for runtime_id, standings in self._runs
            ],
            "refusedCalls": [
                {"runtimeId": runtime_id, "name": name, "reason": message}
                for runtime_id, name, message in _refused(results)
            ],
        }

    def _block(self, runtime_id: str, standings: tuple[ToolStanding, ...]) -> str:
        rows = [("TOOL", "STANDING", "WHY")]
        others = []
        for one in standings:
            if one.standing == _NOT_LISTED and one.name in FRAMEWORK_TOOL_NAMES:
                others.append(one.name)
            else:
                rows.append((one.name, one.standing, self._reason(one)))
        listed = f"  not listed in tools.builtin: {', '.join(others)}\n" if others else ""
        return f"Tools of {runtime_id}:\n{table(rows, indent='  ')}{listed}"

    def _json(self, one: ToolStanding) -> dict[str, object]:
        return {"name": one.name, "standing": one.standing, "reason": self._reason(one)}

    def _reason(self, one: ToolStanding) -> str:
        source: ToolSource = "builtin" if one.name in FRAMEWORK_TOOL_NAMES else "local"
        is_denied = one.standing != _NOT_LISTED and (
            self._policy.status(one.name, source) == "denied"
        )
        return f"{one.reason}{_DENIED}" if is_denied else one.reason


def _refused(results: Iterable[RuntimeResult]) -> Iterator[tuple[str, str, str]]:
    """Runtime, tool and reason of each call that never came to its tool."""
    for result in results:
        for call in result.tool_calls:
            if call.error is not None and _is_withheld(call.error):
                yield result.runtime_id, call.request.name, _told(call.error)


def _is_withheld(error: CallError) -> bool:
    # Wrong arguments are the model's own mistake, and told to it.
    return error.raised_by not in _AUTHORS and error.code != "invalid-input"


def _told(error: CallError) -> str:
    hint = f" {error.hint}" if error.hint else ""
    return f"{error.message}{hint} ({error.code})"
