"""The one type alias for JSON values."""

from typing import TypeAlias

JsonValue: TypeAlias = "None | bool | int | float | str | list[JsonValue] | dict[str, JsonValue]"
"""Any value that JSON can hold; objects have text keys."""
