"""Bound inputs and exports: what package code sees of them, and which one is missing."""

from covel_host.base.json_text import json_copy
from covel_host.runtime.prompt_inputs import BoundValue, InputBinding
from covel_host.runtime.run import RuntimeRun
from plugin_sdk.values import JsonValue


def bound_json(binding: InputBinding) -> JsonValue:
    """A binding as code reads it (spec/manifest.md 12.2).

    `{"cardinality": "one", "value", "source"}`, `source` being the runtime that gave the value, or
    `{"cardinality": "all", "items": [{"value", "source"}]}`. The value is a copy.
    """
    if binding.is_list:
        return {"cardinality": "all", "items": [_given(bound) for bound in binding.values]}
    return {"cardinality": "one", **_given(binding.values[0])}


def missing_input(run: RuntimeRun) -> str | None:
    """Why the run must not start, because of the first required input without a value; else None.

    An optional one without a value is left out, and the run goes on.
    """
    for slot, wanted in run.manifest.io.inputs.items():
        bound = run.exports if wanted.scope == "committed" else run.inputs
        if wanted.required and slot not in bound:
            what = (
                "no committed export gives it"
                if wanted.scope == "committed"
                else "no runtime of this execution gives it"
            )
            return f"The required input {slot!r} ('io.inputs.{slot}') has no value: {what}."
    return None


def _given(bound: BoundValue) -> dict[str, JsonValue]:
    return {"value": json_copy(bound.value), "source": bound.source}
