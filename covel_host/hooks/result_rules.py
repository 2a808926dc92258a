"""What a hook may change of a runtime's result (spec/manifest.md 10.5, spec/execution.md 6.1)."""

from covel_host.hooks.refusals import ReplacementRefused, json_object
from plugin_sdk.hook_events import RuntimeEnd
from plugin_sdk.values import JsonObject, JsonValue

REPLACEABLE = ("status", "output", "canonicalValue", "completion", "error")
"""Members that count in a replacement. Identity and suspension fields are kept, and so is what the
host recorded: durations, tool calls, tokens, and the effects, because hooks write nothing."""

_STATUSES = ("success", "failed", "skipped")


def replaced_runtime_result(payload: RuntimeEnd, value: object) -> JsonObject:
    """The result with the members of `value` that a hook may change; what it leaves out stays.

    Output and value stay together: with only a new `canonicalValue` the output follows it; a new
    `output` that is not that of the value removes the value, and with it exports and bindings.

    Raises:
        ReplacementRefused: `value` is no result, or its status and error do not fit.
    """
    wanted = json_object(value, member="result")
    before = payload.result
    after = {**before, **{name: wanted[name] for name in REPLACEABLE if name in wanted}}
    _check_status(before, after)
    if after.get("status") != "failed":
        after.pop("error", None)
    return _with_matching_value(before, after)


def projected(value: JsonValue) -> JsonObject:
    """A business value as an object for display: other values stand under `value`."""
    return value if isinstance(value, dict) else {"value": value}


def _check_status(before: JsonObject, after: JsonObject) -> None:
    status = after.get("status")
    if before.get("status") == "suspended":
        after["status"] = "suspended"
    elif status not in _STATUSES:
        raise ReplacementRefused(
            f"'result.status' is {status!r:.80}; a hook may set it to {', '.join(_STATUSES)}."
        )
    if after["status"] == "failed" and not _is_error(after.get("error")):
        raise ReplacementRefused(
            "'result.error' is missing: a failed result has an error with the texts 'code' and "
            "'message'."
        )
    if after.get("completion") not in (None, "done", "pending"):
        raise ReplacementRefused(
            f"'result.completion' is {after['completion']!r:.80}; it is 'done' or 'pending'."
        )
    if not isinstance(after.get("output", {}), dict):
        raise ReplacementRefused(
            f"'result.output' is {after['output']!r:.80}; it must be an object."
        )


def _is_error(error: JsonValue) -> bool:
    return isinstance(error, dict) and all(
        isinstance(error.get(name), str) and error[name] for name in ("code", "message")
    )


def _with_matching_value(before: JsonObject, after: JsonObject) -> JsonObject:
    if "canonicalValue" not in after:
        return after
    output = after.get("output", {})
    is_new_value = after["canonicalValue"] != before.get("canonicalValue", _NOTHING)
    if output == before.get("output", {}):
        if is_new_value:
            after["output"] = projected(after["canonicalValue"])
    elif output != projected(after["canonicalValue"]):
        del after["canonicalValue"]
    return after


_NOTHING = object()
