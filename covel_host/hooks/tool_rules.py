"""What a hook may change of a tool call and of its result (spec/manifest.md 10.5)."""

from covel_host.base.answer_sizes import size_problem
from covel_host.hooks.refusals import ReplacementRefused, json_object, json_value, text
from plugin_sdk.hook_events import FinishedToolCall, ToolCall
from plugin_sdk.values import JsonObject, JsonValue


def replaced_name(payload: ToolCall, value: object) -> str:
    """The tool to call instead; whether the runtime may call it is checked afterwards.

    Raises:
        ReplacementRefused: `value` is no text.
    """
    return text(value, member="name")


def replaced_arguments(payload: ToolCall, value: object) -> JsonObject:
    """The arguments to call it with; the tool's own check follows.

    Raises:
        ReplacementRefused: `value` is no JSON object, or too large.
    """
    arguments = json_object(value, member="arguments")
    _check_size(arguments, member="arguments")
    return arguments


def replaced_result(payload: FinishedToolCall, value: object) -> JsonValue:
    """The content to hand on instead.

    Raises:
        ReplacementRefused: the call failed, or `value` is no JSON or too large. A failure stays
            one: nothing was staged, and a run must not end with the success of a call that there
            was not.
    """
    if payload.error is not None:
        raise ReplacementRefused(
            f"'result' cannot be replaced: the call failed ({payload.error.code}), and a hook "
            "cannot make it a success."
        )
    result = json_value(value, member="result")
    _check_size(result, member="result")
    return result


def _check_size(value: JsonValue, *, member: str) -> None:
    problem = size_problem(value)
    if problem is not None:
        raise ReplacementRefused(f"{member!r} is too large: {problem}.")


def asked_terminate(payload: FinishedToolCall, value: object) -> bool:
    """Whether the loop ends here.

    Raises:
        ReplacementRefused: `value` is neither True nor False.
    """
    if not isinstance(value, bool):
        raise ReplacementRefused(f"'terminate' is {value!r:.80}; it must be True or False.")
    return value
