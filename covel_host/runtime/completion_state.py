"""The events, the state and the decisions of the completion rules; all plain, frozen facts.

The rules are those of `completion` (spec/execution.md 5.5, 5.7; seed: ToolExecutor, runtime-done).
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from covel_host.models.messages import ToolChoice
from covel_host.runtime.completion_calls import CallOutcome
from covel_host.runtime.completion_settings import (
    NO_CORRECTIONS,
    CorrectionKind,
    Corrections,
)

EndedBy: TypeAlias = Literal["text", "runtime-done", "after-tools", "hook", "steps"]
OutputSource: TypeAlias = Literal["tool", "text", "none"]
FailReason: TypeAlias = Literal[
    "tool_failed_without_output",
    "completion_not_met",
    "max_steps",
    "repeated_tool_calls",
    "story_without_prose",
    "draft_rejected",
    "output-schema-invalid",
]


@dataclass(frozen=True, slots=True)
class Replied:
    """A model reply was taken and every call of it was run, or skipped with a result.

    `ended_by_hook`: a `post_tool_use` hook ended the loop. `interjection_waiting`: the player wrote
    while this reply was streaming.
    """

    text: str = ""
    calls: tuple[CallOutcome, ...] = ()
    ended_by_hook: bool = False
    interjection_waiting: bool = False


@dataclass(frozen=True, slots=True)
class DraftRejected:
    """A `post_llm_response` hook rejected the reply; its calls were not run."""

    correction: str


@dataclass(frozen=True, slots=True)
class OutputRejected:
    """The output that a `Finish` named does not fit the runtime's output schema."""

    problem: str


CompletionEvent: TypeAlias = Replied | DraftRejected | OutputRejected


@dataclass(frozen=True, slots=True)
class CompletionState:
    """What the rules remember between replies; also what a suspension keeps and a resume restores.

    `unresolved` holds tools whose counted failure no later success of the same tool outweighed,
    in order of failure; `prose` the story text already written before an interjection.
    """

    replies: int = 0
    corrections_used: Corrections = NO_CORRECTIONS
    unresolved: tuple[str, ...] = ()
    did_work: bool = False
    completing_call_id: str | None = None
    completing_tool: str | None = None
    forced: ToolChoice | None = None
    streaks: dict[str, int] = field(default_factory=dict)
    prose: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Continue:
    """Ask the model again; `note` is a user-role message to add first."""

    tool_choice: ToolChoice
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Correct:
    """Add `text` as a user-role message and ask again; it cost one correction of `kind`."""

    kind: CorrectionKind
    text: str
    tool_choice: ToolChoice


@dataclass(frozen=True, slots=True)
class Finish:
    """The run ends well; its output is the full content of `call_id`, the `text`, or nothing.

    With an output schema the loop checks that output and answers a mismatch with `OutputRejected`;
    otherwise it is done.
    """

    ended_by: EndedBy
    output: OutputSource
    text: str = ""
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Fail:
    """The run fails: `reason` for code, `message` for people (English, a full sentence)."""

    reason: FailReason
    message: str


@dataclass(frozen=True, slots=True)
class Suspend:
    """The run stops at the successful `suspend` call and waits for the player."""

    call_id: str


Decision: TypeAlias = Continue | Correct | Finish | Fail | Suspend
