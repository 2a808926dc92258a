"""What a runtime run hands back (spec/execution.md 13.1)."""

from dataclasses import dataclass, field, replace

from covel_host.base.error_texts import kept_text
from covel_host.models.messages import Usage
from covel_host.proposals.read_sets import ReadSet
from covel_host.proposals.staged import StagedProposal
from covel_host.runtime.interjections import Interjection
from covel_host.runtime.run_status import NestedKind, RunStatus
from covel_host.runtime.suspension import SuspendedRun
from covel_host.tools.calls import ToolCallResult
from plugin_sdk.outcomes import Completion
from plugin_sdk.values import JsonValue


@dataclass(frozen=True, slots=True)
class RunFailure:
    """Why a run failed; `code` is stable, `message` a full sentence for people.

    Both texts can be stored and are cut at 2,000 characters. `counts_as_error`: the failure is the
    runtime's own and adds up towards pausing its plugin.
    """

    code: str
    message: str
    hint: str | None = None
    counts_as_error: bool = True

    def __post_init__(self) -> None:
        # Authors and models wrote some of it, so it need be neither storable nor short.
        object.__setattr__(self, "message", kept_text(self.message))
        if self.hint is not None:
            object.__setattr__(self, "hint", kept_text(self.hint))


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

    def merged(self, other: "ModelUse") -> "ModelUse":
        """Both uses together."""
        return ModelUse(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeResult:
    """The outcome of one run; success is not a commit.

    `value` is the run's value exactly as it was given, `has_value` tells none from null; `output`
    shows it as an object, `{}` when there is none. `text` is the model's final prose. `completion`
    says whether a setup runtime is done with its work. A skipped run has a `reason`;
    `is_explicit_skip` when its own guard or handler chose to skip.
    `proposals` are empty unless the run may commit. `tool_calls` holds every call in the order of
    the model's replies, or of the code's calls, those that failed or were skipped included.
    `reads` is what the run looked at. `warnings` are sentences for the author. `nested` says how a
    run inside another one was asked for, `character_id` whom it played. `interjections` are what
    the player added meanwhile. A suspended run has its `suspension`. `is_concealed`: what leaves
    the host goes through `shown_result`.
    """

    plugin_id: str
    runtime_id: str
    run_id: str
    turn_id: str
    status: RunStatus
    duration_ms: int
    output: dict[str, JsonValue] = field(default_factory=dict)
    value: JsonValue = None
    has_value: bool = False
    completion: Completion | None = None
    reason: str | None = None
    is_explicit_skip: bool = False
    text: str = ""
    ended_by: str | None = None
    failure: RunFailure | None = None
    warnings: tuple[str, ...] = ()
    tool_calls: tuple[ToolCallResult, ...] = ()
    proposals: tuple[StagedProposal, ...] = ()
    reads: ReadSet | None = None
    steps: int = 0
    model_use: ModelUse = field(default_factory=ModelUse)
    nested: NestedKind | None = None
    character_id: str | None = None
    interjections: tuple[Interjection, ...] = ()
    suspension: SuspendedRun | None = None
    is_concealed: bool = False

    def cut_short(self, failure: RunFailure) -> "RuntimeResult":
        """The same run as a failed one: neither a value nor writes, and its audit as it was."""
        return replace(
            self,
            status="failed",
            failure=failure,
            output={},
            value=None,
            has_value=False,
            completion=None,
            reason=None,
            is_explicit_skip=False,
            text="",
            ended_by=None,
            proposals=(),
            suspension=None,
        )
