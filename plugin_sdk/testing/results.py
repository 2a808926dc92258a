"""What the `covel` fixture gives back, as facts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from plugin_sdk.values import JsonObject, JsonValue

RunStatus = Literal["success", "failed", "skipped", "suspended"]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why something failed; `code` is stable, `message` a sentence for people."""

    code: str
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request to a model.

    `messages` are pairs of role (`system`, `user`, `assistant`, `tool`) and text, oldest first.
    `tools` are the offered ones: their JSON Schemas by name. `"salt" in prompt` looks for a text in
    all of them.
    """

    messages: tuple[tuple[str, str], ...]
    tools: Mapping[str, JsonObject] = field(default_factory=dict)

    @property
    def system(self) -> str:
        """The system messages, joined by empty lines."""
        return "\n\n".join(text for role, text in self.messages if role == "system")

    @property
    def text(self) -> str:
        """All messages, each after its role."""
        return "\n\n".join(f"{role}: {text}" for role, text in self.messages)

    def __contains__(self, part: str) -> bool:
        return any(part in text for _, text in self.messages)


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """One tool call: what it was given, and its value, or why it failed.

    `envelope` is the JSON object that the model read.
    """

    name: str
    arguments: JsonValue
    value: JsonValue
    envelope: JsonObject
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class StagedWrite:
    """One proposal, such as of type `plugin.data`, with its payload."""

    type: str
    payload: JsonObject


@dataclass(frozen=True, slots=True)
class TakenEvent:
    """One event that the session's clients were told, such as `narrative.completed`."""

    type: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """One run of a runtime.

    `output` is its output as an object, `text` the model's final prose; `reason` says why it was
    skipped, `failure` why it failed. `tools` are its calls in order, `writes` what it staged, empty
    where it may not commit. `prompts` and `events` are those of everything that ran with it, and
    `followers` the other runs.
    """

    runtime_id: str
    status: RunStatus
    output: JsonObject = field(default_factory=dict)
    text: str = ""
    reason: str | None = None
    failure: Failure | None = None
    warnings: tuple[str, ...] = ()
    tools: tuple[ToolAnswer, ...] = ()
    writes: tuple[StagedWrite, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    events: tuple[TakenEvent, ...] = ()
    followers: "tuple[RunResult, ...]" = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResult:
    """One turn: `runs` in their order, those that were left out included.

    `turn["my-plugin/keeper"]` is the run of that runtime.
    """

    runs: tuple[RunResult, ...]
    prompts: tuple[Prompt, ...] = ()
    events: tuple[TakenEvent, ...] = ()

    def __getitem__(self, runtime_id: str) -> RunResult:
        for run in self.runs:
            if run.runtime_id == runtime_id:
                return run
        known = ", ".join(run.runtime_id for run in self.runs) or "none"
        raise KeyError(f"{runtime_id!r} did not run in this turn; its runs: {known}")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """One job of background or detached work, in the state that it ended in."""

    runtime_id: str
    state: str
    failure: Failure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that nobody has answered yet: a form, a choice or a confirmation.

    `shown` is the interaction as clients get it, with its fields and options.
    """

    interaction_id: str
    type: str
    text: str
    shown: JsonObject
