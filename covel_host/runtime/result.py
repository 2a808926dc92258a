"""What a runtime run hands back (spec/execution.md 13.1)."""

from dataclasses import dataclass, field

from covel_host.models.messages import Usage
from covel_host.proposals.staged import StagedProposal
from covel_host.runtime.run_status import RunStatus
from covel_host.tools.calls import ToolCallResult
from plugin_sdk.values import JsonValue


@dataclass(frozen=True, slots=True)
class RunFailure:
    """Why a run failed; `code` is stable, `message` a full sentence for people."""

    code: str
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """The model calls of a run, added up."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def plus(self, usage: Usage) -> "ModelUse":
        """This use and one more call."""
        return ModelUse(
            calls=self.calls + 1,
            input_tokens=self.input_tokens + usage.input_tokens,
            output_tokens=self.output_tokens + usage.output_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeResult:
    """The outcome of one run; success is not a commit.

    `output` is the projected output, `{}` when there is none; `text` the model's final prose.
    `proposals` are empty unless the run may commit. `tool_calls` holds every call in the order of
    the model's replies, those that failed or were skipped included. `warnings` are sentences for
    the author.
    """

    plugin_id: str
    runtime_id: str
    run_id: str
    turn_id: str
    status: RunStatus
    duration_ms: int
    output: dict[str, JsonValue] = field(default_factory=dict)
    text: str = ""
    ended_by: str | None = None
    failure: RunFailure | None = None
    warnings: tuple[str, ...] = ()
    tool_calls: tuple[ToolCallResult, ...] = ()
    proposals: tuple[StagedProposal, ...] = ()
    steps: int = 0
    model_use: ModelUse = field(default_factory=ModelUse)
