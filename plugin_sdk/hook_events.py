"""The life-cycle hooks: their payloads, argument names, and what an answer may do.

Every payload is a copy; changing it in place does nothing (spec/manifest.md 10.5).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from plugin_sdk.errors import ToolErrorCode
from plugin_sdk.names import LIFE_CYCLE_HOOKS
from plugin_sdk.proposals import Proposal
from plugin_sdk.values import JsonObject, JsonValue

HookScope: TypeAlias = Literal["session", "turn", "runtime"]
HookMode: TypeAlias = Literal["sequential", "parallel"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStart:
    """A session exists."""

    session_id: str
    world_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStart:
    """An execution is about to run these runtimes."""

    player_message: str
    active_runtimes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionStart:
    """The history is about to be compacted."""

    message_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionEnd:
    """Whether a compaction was made."""

    compacted: bool
    summary_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The runtimes that were triggered, in order; a hook may drop or reorder them."""

    triggered: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeStart:
    """One runtime is about to run: its manifest and input as JSON."""

    manifest: JsonObject
    input: JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class AssembledPrompt:
    """The prompt of an agent; the framework's own opening is always put back in front."""

    system_prompt: str
    messages: tuple[JsonObject, ...]
    output_kind: str | None = None
    prompt_template: str | None = None
    input_slots: JsonObject | None = None
    characters: tuple[JsonObject, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One model call; `prompt_segments`, when replaced, last for the turn."""

    messages: tuple[JsonObject, ...]
    model: str
    tools: tuple[JsonObject, ...]
    stream: bool = False
    prompt_segments: tuple[JsonObject, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelResponse:
    """A model's reply; replacing `correction` by a text rejects the draft."""

    response: JsonObject
    messages: tuple[JsonObject, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeEnd:
    """The result of one runtime as JSON."""

    result: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One tool call; `id` is kept whatever a hook replaces."""

    id: str
    name: str
    arguments: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFailure:
    """Why a tool call failed."""

    code: ToolErrorCode
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedToolCall:
    """A tool call and its whole content, or its failure; replacing `terminate` ends the loop."""

    id: str
    name: str
    arguments: JsonObject
    result: JsonValue = None
    error: ToolFailure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalCommit:
    """One proposal before its commit; a hook may replace its payload."""

    proposal: Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class CommittedProposal:
    """One proposal after its commit."""

    proposal: Proposal
    result: JsonValue = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStop:
    """The runtimes of an execution have ended; the commit comes next."""

    runtime_results: tuple[JsonObject, ...]
    duration_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnd:
    """A session is gone."""

    session_id: str
    reason: Literal["ended", "deleted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookEvent:
    """What holds for one life-cycle hook.

    `argument` is the name of its payload parameter beside `ctx`. Only on a guard event does an
    abort stop what is announced, and a failed handler has the same effect; elsewhere an abort ends
    the chain. `replaceable` are the members an answer may replace, by their Python names.
    """

    name: str
    event: str
    argument: str
    payload: type[object]
    scope: HookScope
    mode: HookMode = "sequential"
    is_guard: bool = False
    replaceable: frozenset[str] = frozenset()


def _event(
    name: str,
    argument: str,
    payload: type[object],
    scope: HookScope,
    *,
    mode: HookMode = "sequential",
    is_guard: bool = False,
    replaceable: tuple[str, ...] = (),
) -> HookEvent:
    return HookEvent(
        name=name,
        event=LIFE_CYCLE_HOOKS[name],
        argument=argument,
        payload=payload,
        scope=scope,
        mode=mode,
        is_guard=is_guard,
        replaceable=frozenset(replaceable),
    )


HOOK_EVENTS: Mapping[str, HookEvent] = MappingProxyType(
    {
        one.name: one
        for one in (
            _event("session_start", "session", SessionStart, "session", mode="parallel"),
            _event("turn_start", "turn", TurnStart, "turn", is_guard=True),
            _event("pre_compaction", "compaction", CompactionStart, "turn", is_guard=True),
            _event("post_compaction", "compaction", CompactionEnd, "turn", mode="parallel"),
            _event("pre_schedule", "schedule", Schedule, "turn", replaceable=("triggered",)),
            _event("pre_runtime", "run", RuntimeStart, "runtime", is_guard=True),
            _event(
                "post_context_assembly",
                "prompt",
                AssembledPrompt,
                "runtime",
                replaceable=("system_prompt", "messages"),
            ),
            _event(
                "pre_llm_call",
                "request",
                ModelRequest,
                "runtime",
                replaceable=("messages", "model", "tools", "stream", "prompt_segments"),
            ),
            _event(
                "post_llm_response",
                "response",
                ModelResponse,
                "runtime",
                replaceable=("response", "correction"),
            ),
            _event("post_runtime", "run", RuntimeEnd, "runtime", replaceable=("result",)),
            _event(
                "pre_tool_use",
                "call",
                ToolCall,
                "runtime",
                is_guard=True,
                replaceable=("name", "arguments"),
            ),
            _event(
                "post_tool_use",
                "call",
                FinishedToolCall,
                "runtime",
                replaceable=("result", "terminate"),
            ),
            _event(
                "pre_state_commit",
                "commit",
                ProposalCommit,
                "runtime",
                is_guard=True,
                replaceable=("payload",),
            ),
            _event("post_state_commit", "commit", CommittedProposal, "runtime", mode="parallel"),
            _event("turn_stop", "turn", TurnStop, "turn", mode="parallel"),
            _event("session_end", "session", SessionEnd, "session", mode="parallel"),
        )
    }
)
"""Every life-cycle hook by its function name, in the order of a session's life."""
