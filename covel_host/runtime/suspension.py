"""A run that waits for the player: what it asks, and all that it goes on with.

A scene is values alone, so that it can be stored and played on by another process. The prompt in it
is the run's own and is never put together again (seed: suspend; spec/execution.md 10).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, TypeAlias, cast

from pydantic import PlainSerializer, PlainValidator, TypeAdapter

from covel_host.base.json_text import json_copy
from covel_host.models.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from covel_host.proposals.read_sets import Read
from covel_host.proposals.staged import StagedProposal, check_proposal
from covel_host.runtime.call_outputs import CallOutputs
from covel_host.runtime.completion_state import CompletionState
from covel_host.runtime.interjections import Interjection
from covel_host.runtime.prompt_inputs import (
    Activation,
    EventActivation,
    InputBinding,
    ManualActivation,
    MessageOrigin,
    PromptMessage,
    StageActivation,
)
from plugin_sdk.outcomes import Event
from plugin_sdk.proposals import parse_proposal
from plugin_sdk.values import JsonObject, JsonValue

_KINDS: Mapping[str, type] = {
    "system": SystemMessage,
    "user": UserMessage,
    "assistant": AssistantMessage,
    "tool": ToolMessage,
    "stage": StageActivation,
    "manual": ManualActivation,
    "event": EventActivation,
}


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    # Made when the first run is suspended or gone on with: most processes never do.
    return TypeAdapter(kind)


def _written(value: Any) -> dict[str, Any]:
    """A message or an activation with its kind, which its own members do not say."""
    kind = next(name for name, kind in _KINDS.items() if type(value) is kind)
    members = _adapter(cast(Any, type(value))).dump_python(value, mode="json")
    return {"kind": kind, **members}


def _read(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    members = dict(value)
    return _adapter(_KINDS[members.pop("kind")]).validate_python(members)


StoredMessage: TypeAlias = Annotated[Message, PlainSerializer(_written), PlainValidator(_read)]
StoredActivation: TypeAlias = Annotated[
    Activation, PlainSerializer(_written), PlainValidator(_read)
]


@dataclass(frozen=True, slots=True)
class SceneMessage:
    """One message of a prompt or of the exchange after it, and where it came from."""

    message: StoredMessage
    origin: MessageOrigin


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentScene:
    """The loop of an agent as its `suspend` call left it.

    `completing_value` is what a completing tool gave, `activated` are the tools that were found,
    `segments` those that `pre_llm_call` hooks set, `requested` counts the calls of the run.
    """

    system: str
    prompt: tuple[SceneMessage, ...]
    transcript: tuple[SceneMessage, ...]
    state: CompletionState
    call_id: str
    steps: int
    requested: int
    completing_value: JsonValue = None
    activated: tuple[str, ...] = ()
    segments: tuple[JsonObject, ...] = ()
    heard: tuple[Interjection, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneProposal:
    """A staged proposal as it is stored."""

    proposal_id: str
    plugin_id: str
    type: str
    payload: JsonObject
    hidden: tuple[str, ...] = ()

    def staged(self, *, runtime_id: str, run_id: str) -> StagedProposal:
        """The proposal of the run that goes on.

        Raises:
            ProposalRefused: its rules have changed since.
        """
        return check_proposal(
            {"type": self.type, "payload": self.payload},
            proposal_id=self.proposal_id,
            plugin_id=self.plugin_id,
            runtime_id=runtime_id,
            run_id=run_id,
            hidden=frozenset(self.hidden),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScene:
    """All that a run goes on with; values are those of the time when it was suspended.

    `shows` and `events` are what its tool calls leave for its end.
    """

    activation: StoredActivation
    locale: str
    logical_turn: int
    turn_number: int
    inputs: dict[str, InputBinding] = field(default_factory=dict)
    exports: dict[str, InputBinding] = field(default_factory=dict)
    player_message: str | None = None
    slot: str | None = None
    stories: tuple[str, ...] = ()
    proposals: tuple[SceneProposal, ...] = ()
    reads: tuple[Read, ...] = ()
    shows: tuple[JsonObject, ...] = ()
    events: tuple[Event, ...] = ()
    agent: AgentScene | None = None

    @property
    def outputs(self) -> CallOutputs:
        """What the calls before the suspension leave for the end of the run."""
        return CallOutputs(tuple(parse_proposal(shown) for shown in self.shows), self.events)

    def to_json(self) -> JsonObject:
        """The scene as it is stored."""
        dumped = _adapter(RunScene).dump_python(self, mode="json")
        return cast(JsonObject, json_copy(dumped))


def scene_of(stored: JsonObject) -> RunScene:
    """The scene that `to_json` gave.

    Raises:
        pydantic.ValidationError: another version of the host wrote it, and it reads otherwise.
    """
    scene: RunScene = _adapter(RunScene).validate_python(stored)
    return scene


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspendedRun:
    """What a run leaves that waits: `reason` is for the player, `resume_schema` for the answer."""

    reason: str
    resume_schema: JsonObject
    scene: RunScene


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumedRun:
    """What a run goes on from, and the answer: `data` fits the schema that was asked."""

    suspension_id: str
    data: JsonValue
    scene: RunScene


def scene_messages(messages: tuple[PromptMessage, ...]) -> tuple[SceneMessage, ...]:
    """Messages as a scene keeps them."""
    return tuple(SceneMessage(entry.message, entry.origin) for entry in messages)


def prompt_messages(messages: tuple[SceneMessage, ...]) -> tuple[PromptMessage, ...]:
    """The messages that a scene kept."""
    return tuple(PromptMessage(entry.message, entry.origin) for entry in messages)
