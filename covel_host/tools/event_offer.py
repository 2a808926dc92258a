"""The parameters of `emit-event` as a model sees them in one session (seed: emit-event)."""

from collections.abc import Mapping
from typing import Any, Final

from covel_host.catalog.events import LoadedEvent
from plugin_sdk.model_schema import model_facing_schema
from plugin_sdk.values import JsonValue

_TOPIC: Final = "The topic of one declared event."
_DATA: Final = "The event's payload, in the form that its topic declares."
_NOT_SHOWN: Final = ("$schema", "$id")


def offered_parameters(events: Mapping[str, LoadedEvent]) -> dict[str, Any]:
    """The input schema: the topics as an enum, `data` in the form of the one topic, or any of them.

    Branches are named by their topic. A schema with references is shown as a plain object, because
    it cannot be moved into another schema. Without events both are generic.
    """
    topic: dict[str, Any] = {"type": "string", "description": _TOPIC}
    if events:
        topic["enum"] = list(events)
    return {
        "type": "object",
        "properties": {"topic": topic, "data": {"description": _DATA, **_data(events)}},
        "required": ["topic"],
    }


def has_references(schema: JsonValue) -> bool:
    """Whether `$ref` or `$defs` stands anywhere in `schema`, at any depth."""
    if isinstance(schema, dict):
        return "$ref" in schema or "$defs" in schema or any(map(has_references, schema.values()))
    return isinstance(schema, list) and any(map(has_references, schema))


def _data(events: Mapping[str, LoadedEvent]) -> dict[str, Any]:
    forms = {topic: _form(event) for topic, event in events.items()}
    if not forms:
        return {"type": "object"}
    if len(forms) == 1:
        return next(iter(forms.values()))
    return {"anyOf": [{**form, "title": topic} for topic, form in forms.items()]}


def _form(event: LoadedEvent) -> dict[str, Any]:
    schema = event.payload.schema
    if isinstance(schema, bool) or has_references(dict(schema)):
        return {"type": "object"}
    shown = {key: value for key, value in schema.items() if key not in _NOT_SHOWN}
    return model_facing_schema(shown)
