"""The one type alias for JSON values."""

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    JsonValue: TypeAlias = (
        "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
    )
else:

    class JsonValue:
        """Any value that JSON can hold; objects have text keys.

        Type checkers see the recursive union. At run time it is a class, so that an annotation may
        hold it anywhere and pydantic is only loaded by whoever builds a model from it.
        """

        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
            from pydantic import JsonValue as CheckedJsonValue

            return handler.generate_schema(CheckedJsonValue)


JsonObject: TypeAlias = dict[str, JsonValue]
"""One JSON object."""
