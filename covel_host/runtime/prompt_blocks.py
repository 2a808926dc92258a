"""Blocks of data in a prompt: inputs, exports, activation, the event directory.

Each holds one JSON object (the event directory: lines) in which no text can close the block
(spec/execution.md 5.2).
"""

from collections.abc import Iterable, Mapping, Sequence

from covel_host.runtime.prompt_inputs import (
    Activation,
    BoundValue,
    EventActivation,
    EventTopic,
    InputBinding,
    ManualActivation,
)
from covel_host.runtime.prompt_texts import escape_text, escaped_json, sentence, tagged
from covel_host.tools.event_offer import has_references
from plugin_sdk.rules.instruction_locale import InstructionLocale
from plugin_sdk.rules.model_facing import model_facing_json
from plugin_sdk.values import JsonValue


def inputs_block(
    bindings: Mapping[str, InputBinding],
    *,
    stories: Sequence[str],
    locale: InstructionLocale,
) -> str:
    """`<runtime-inputs>`: by slot name `{value, source}`, or `{items: [{value, source}]}`.

    A single value that is exactly a story text of this execution becomes a sentence that points
    to it: the text stands in the conversation already.
    """
    pointer = sentence("story-pointer", locale)

    def shown(binding: InputBinding) -> JsonValue:
        if binding.is_list:
            return {"items": [_bound(value) for value in binding.values]}
        value = binding.values[0]
        if isinstance(value.value, str) and value.value in stories:
            return {"value": pointer, "source": value.source}
        return _bound(value)

    slots = {name: shown(binding) for name, binding in bindings.items() if _is_bound(binding)}
    return tagged("runtime-inputs", escaped_json(slots))


def exports_block(exports: Mapping[str, InputBinding]) -> str:
    """`<runtime-exports>`: the committed values of earlier executions, shaped like inputs."""
    slots: dict[str, JsonValue] = {
        name: {"items": [_bound(value) for value in binding.values]}
        if binding.is_list
        else _bound(binding.values[0])
        for name, binding in exports.items()
        if _is_bound(binding)
    }
    return tagged("runtime-exports", escaped_json(slots))


def activation_block(activation: Activation) -> str:
    """`<runtime-activation>`: `{"payload": …}`, `{"event": {topic, data}}` or `{"stage": …}`."""
    content: JsonValue
    if isinstance(activation, ManualActivation):
        content = {"payload": model_facing_json(activation.payload)}
    elif isinstance(activation, EventActivation):
        content = {"event": {"topic": activation.topic, "data": model_facing_json(activation.data)}}
    else:
        content = {"stage": activation.stage}
    return tagged("runtime-activation", escaped_json(content))


def events_block(topics: Iterable[EventTopic], *, locale: InstructionLocale) -> str:
    """`<available-events>`: each topic with its description and required fields, by name.

    A schema stands there in full only where the tool definition cannot hold it, that is with
    `$ref` or `$defs` at any depth (seed: emit-event).
    """
    ordered = sorted(topics, key=lambda topic: topic.topic)
    lines = [f"- {each.topic}: {escape_text(each.description)}{_form(each)}" for each in ordered]
    return tagged("available-events", "\n".join((sentence("emitting", locale), *lines)))


def _is_bound(binding: InputBinding) -> bool:
    return binding.is_list or bool(binding.values)


def _bound(bound: BoundValue) -> JsonValue:
    return {"value": model_facing_json(bound.value), "source": bound.source}


def _form(topic: EventTopic) -> str:
    schema = topic.payload_schema
    if schema is None:
        return " (schema unavailable)"
    if has_references(schema):
        return f" {escaped_json(schema)}"
    required = schema.get("required")
    if not isinstance(required, list) or not required:
        return ""
    return f" (required: {', '.join(escape_text(str(name)) for name in required)})"
