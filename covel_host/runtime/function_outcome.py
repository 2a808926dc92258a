"""Reading what a handler or a guard returned (spec/manifest.md 12.3, 12.5)."""

from typing import TypeAlias

from covel_host.base.answer_sizes import size_problem
from covel_host.base.errors import HostError
from covel_host.base.json_text import JsonValueError, json_copy
from plugin_sdk.outcomes import Effects, Failed, Skip, Skipped, Success, Suspended
from plugin_sdk.values import JsonValue

HandlerOutcome: TypeAlias = Success | Failed | Skipped | Suspended

_SDK_OUTCOMES = (Success, Failed, Skipped, Suspended)
_MEMBERS: tuple[tuple[str, type, str], ...] = (
    ("effects", Effects, "Effects(…)"),
    ("reason", str, "a text"),
    ("error", str, "a text"),
)


class OutcomeInvalid(HostError):
    """A handler or guard returned something that is no outcome; the message says what to return."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, code="outcome-invalid", hint=hint)


def read_outcome(returned: object, *, runtime_id: str) -> HandlerOutcome:
    """The outcome that a handler returned; a value of its own means `success(value)`.

    Raises:
        OutcomeInvalid: it belongs to a guard, or a member of the outcome has the wrong type.
    """
    if isinstance(returned, Skip):
        raise OutcomeInvalid(
            f"The handler of {runtime_id!r} returned skip(…), which is a guard's word.",
            hint="Return skipped(reason).",
        )
    if isinstance(returned, Effects):
        raise OutcomeInvalid(
            f"The handler of {runtime_id!r} returned Effects alone.",
            hint="Return success(value, effects=…).",
        )
    outcome = returned if isinstance(returned, _SDK_OUTCOMES) else _bare(returned)
    problem = _problem(outcome)
    if problem is not None:
        raise OutcomeInvalid(f"The handler of {runtime_id!r} returned an outcome whose {problem}.")
    return outcome


def json_value(value: object, *, whose: str) -> JsonValue:
    """The JSON copy of a value that package code gave; pydantic models are written by alias.

    Raises:
        OutcomeInvalid: it has no JSON form; `whose` begins the sentence.
    """
    try:
        copied = json_copy(value)
    except JsonValueError as error:
        raise OutcomeInvalid(
            f"{whose} has no JSON form: {error}.",
            hint="Return JSON values, pydantic models, or what success, skipped, failed give.",
        ) from error
    except Exception as error:  # a model's own code runs while it is written
        raise OutcomeInvalid(f"{whose} could not be written: {type(error).__name__}.") from error
    problem = size_problem(copied)
    if problem is not None:
        raise OutcomeInvalid(
            f"{whose} is too large: {problem}.",
            hint="Store it as media or records, and return what names it.",
        )
    return copied


def read_skip(returned: object, *, runtime_id: str) -> Skip | None:
    """What a guard says: `Skip`, or None to let the runtime run.

    Raises:
        OutcomeInvalid: it returned anything else, such as True.
    """
    if returned is None or isinstance(returned, Skip):
        return returned
    raise OutcomeInvalid(
        f"The guard of {runtime_id!r} returned a {type(returned).__name__!r}.",
        hint="Return skip(…) to leave the run out, None to let it run.",
    )


def projected(value: JsonValue, *, has_value: bool) -> dict[str, JsonValue]:
    """The value as an object: others than objects stand under `value`, no value is `{}`."""
    if not has_value:
        return {}
    return value if isinstance(value, dict) else {"value": value}


def _bare(value: object) -> Success:
    return Success(value=value, has_value=True)


def _problem(outcome: HandlerOutcome) -> str | None:
    # An author's checker sees these; a value that comes from elsewhere may still be wrong.
    for member, kind, expected in _MEMBERS:
        value: object = getattr(outcome, member, kind())
        if not isinstance(value, kind):
            return f"{member!r} is a {type(value).__name__!r}, not {expected}"
    completion: object = getattr(outcome, "completion", "done")
    if completion not in ("done", "pending"):
        return f"'completion' is {completion!r}, not 'done' or 'pending'"
    return None
