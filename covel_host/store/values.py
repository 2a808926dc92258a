"""How times and JSON values become column texts and back."""

from datetime import UTC, datetime
from functools import lru_cache

from covel_host.base.json_text import WRAPPED_DEPTH, dump_json, parse_json
from plugin_sdk.values import JsonValue

_EMPTY_OBJECT = "{}"
"""What most columns of objects hold; telling it costs nothing beside reading it."""


def time_text(at: datetime) -> str:
    """`at` in UTC as ISO 8601 with microseconds; text order is time order."""
    # Equal times of other zones may differ in their fold, so only UTC may be a key.
    return _utc_text(at if at.tzinfo is UTC else at.astimezone(UTC))


@lru_cache(maxsize=16)
def _utc_text(at: datetime) -> str:
    # Kept because all rows of a commit share a few times.
    return at.isoformat(timespec="microseconds")


def time_text_or_null(at: datetime | None) -> str | None:
    """Like `time_text`; None stays None."""
    return None if at is None else time_text(at)


def parsed_time(text: str) -> datetime:
    """The aware time that `time_text` wrote."""
    return datetime.fromisoformat(text)


def parsed_time_or_null(text: str | None) -> datetime | None:
    """Like `parsed_time`; None stays None."""
    return None if text is None else parsed_time(text)


def json_text_or_null(value: JsonValue) -> str | None:
    """The JSON text of `value`; a JSON null becomes SQL NULL, which takes no space."""
    return None if value is None else dump_json(value)


def parsed_json(text: str) -> JsonValue:
    """The value of a column that the host wrote around what others gave it."""
    return parse_json(text, max_depth=WRAPPED_DEPTH)


def parsed_or_null(text: str | None) -> JsonValue:
    """The value that `json_text_or_null` wrote."""
    return None if text is None else parsed_json(text)


def parsed_object(text: str) -> dict[str, JsonValue]:
    """The JSON object a column holds."""
    if text == _EMPTY_OBJECT:
        return {}
    value = parsed_json(text)
    if not isinstance(value, dict):
        raise TypeError(f"The column holds {type(value).__name__}, not a JSON object.")
    return value
