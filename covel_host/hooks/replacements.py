"""The one table of what an answer may replace on each event, and how each member is checked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from covel_host.hooks.commit_rules import replaced_payload
from covel_host.hooks.failures import ill_formed
from covel_host.hooks.model_rules import (
    asked_correction,
    replaced_messages,
    replaced_model,
    replaced_prompt_segments,
    replaced_response,
    replaced_stream,
    replaced_system_prompt,
    replaced_tools,
)
from covel_host.hooks.refusals import ReplacementRefused
from covel_host.hooks.result_rules import replaced_runtime_result
from covel_host.hooks.schedule_rules import replaced_triggered
from covel_host.hooks.tool_rules import (
    asked_terminate,
    replaced_arguments,
    replaced_name,
    replaced_result,
)

Payload = TypeVar("Payload")


@dataclass(frozen=True, slots=True)
class Replacement:
    """One member that an answer may hold.

    `check` gives the checked value or raises `ReplacementRefused`. `field` is the field of the
    payload it becomes, None when it is an effect of its own. `rule` is the sentence for authors.
    """

    check: Callable[[Any, object], object]
    field: str | None
    rule: str


@dataclass(slots=True)
class Rewritten(Generic[Payload]):
    """A payload after one answer.

    `effects` are the members that are no part of the payload, `changed` the members that made a
    difference, `ignored` those the event does not let a hook replace.
    """

    payload: Payload
    effects: Mapping[str, object] = field(default_factory=dict)
    changed: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


REPLACEMENTS: Mapping[str, Mapping[str, Replacement]] = MappingProxyType(
    {
        "pre_schedule": {
            "triggered": Replacement(
                replaced_triggered,
                "triggered",
                "IDs of triggered runtimes in the order to run them; others count for nothing, so "
                "a hook drops and reorders, and adds none",
            )
        },
        "post_context_assembly": {
            "system_prompt": Replacement(
                replaced_system_prompt,
                "system_prompt",
                "a text; the framework's opening is put back in front",
            ),
            "messages": Replacement(
                replaced_messages,
                "messages",
                "messages, at least one, every tool call with its result directly behind it",
            ),
        },
        "pre_llm_call": {
            "messages": Replacement(
                replaced_messages, "messages", "as above, for this call; with the system message"
            ),
            "model": Replacement(replaced_model, "model", "the name of a model slot"),
            "tools": Replacement(
                replaced_tools,
                "tools",
                "the tools to offer; what the runtime may call stays as it is",
            ),
            "stream": Replacement(replaced_stream, "stream", "`False` only"),
            "prompt_segments": Replacement(
                replaced_prompt_segments,
                "prompt_segments",
                "segments as `prompt.segment@1` gives them; they last for the turn",
            ),
        },
        "post_llm_response": {
            "response": Replacement(
                replaced_response,
                "response",
                "`text` and `toolCalls` count; tokens, model and provider stay",
            ),
            "correction": Replacement(
                asked_correction,
                None,
                "a text: the draft is thrown away, its calls are not run and the model answers "
                "again, as often as `agent.loop.corrections.draftReview` says; once more fails the "
                "run; the last hook's text counts",
            ),
        },
        "post_runtime": {
            "result": Replacement(
                replaced_runtime_result,
                "result",
                "`status`, `output`, `canonicalValue`, `completion` and `error` count, the rest is "
                "kept; an `output` that is not that of the value removes the value",
            )
        },
        "pre_tool_use": {
            "name": Replacement(
                replaced_name, "name", "another tool; the runtime must be allowed to call it"
            ),
            "arguments": Replacement(
                replaced_arguments, "arguments", "an object; the tool's own check follows"
            ),
        },
        "post_tool_use": {
            "result": Replacement(
                replaced_result, "result", "any JSON; a failed call stays a failed call"
            ),
            "terminate": Replacement(asked_terminate, None, "`True` ends the loop"),
        },
        "pre_state_commit": {
            "payload": Replacement(
                replaced_payload,
                "proposal",
                "the proposal's payload as JSON, which must fit its type",
            )
        },
    }
)
"""Event by function name, then the members its answers may replace; other events let none."""


def rewrite(event: str, payload: Payload, wanted: Mapping[str, object]) -> Rewritten[Payload]:
    """`payload` with what an answer replaces: shallow, all of the answer or nothing.

    Members the event does not let a hook replace count for nothing (spec/manifest.md 10.5).

    Raises:
        HookFailure: a member has a value of the wrong form.
    """
    if not wanted:
        return Rewritten(payload)
    replaceable = REPLACEMENTS.get(event, {})
    fields: dict[str, object] = {}
    effects: dict[str, object] = {}
    changed: list[str] = []
    for name, replacement in replaceable.items():
        if name not in wanted:
            continue
        value = _checked(replacement, payload, wanted[name])
        if replacement.field is None:
            effects[name] = value
            changed.append(name)
            continue
        fields[replacement.field] = value
        if value != getattr(payload, replacement.field):
            changed.append(name)
    return Rewritten(
        replace(payload, **fields) if fields else payload,  # type: ignore[type-var]  # a dataclass
        effects,
        tuple(changed),
        tuple(sorted(name for name in wanted if name not in replaceable)),
    )


def _checked(replacement: Replacement, payload: object, value: object) -> object:
    try:
        return replacement.check(payload, value)
    except ReplacementRefused as refusal:
        raise ill_formed(f"The answer cannot be used: {refusal.problem}") from refusal
