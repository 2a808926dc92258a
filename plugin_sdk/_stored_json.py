"""JSON values inside proposals: checked where Python makes them, taken as they are from JSON text.

A value that comes out of JSON text is JSON already. Walking a record of 256 KiB node by node to
see it again took several times as long as reading it.
"""

import math
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import GetCoreSchemaHandler
from pydantic import JsonValue as CheckedJsonValue
from pydantic_core import CoreSchema, core_schema

if TYPE_CHECKING:
    from plugin_sdk.values import JsonValue


class _AsRead:
    """Checks values given in Python, as a copy, and passes those read from JSON text."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        read: CoreSchema = core_schema.any_schema()
        if source is not CheckedJsonValue:
            read = core_schema.dict_schema(core_schema.str_schema(), read)
        checked = core_schema.no_info_after_validator_function(_finite, handler(source))
        return core_schema.json_or_python_schema(json_schema=read, python_schema=checked)


def _finite(value: Any) -> Any:
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, float) and not math.isfinite(part):
            raise ValueError(f"{part} is not a JSON number")
        if isinstance(part, dict):
            stack.extend(part.values())
        elif isinstance(part, list):
            stack.extend(part)
    return value


if TYPE_CHECKING:
    StoredJson: TypeAlias = JsonValue
    StoredObject: TypeAlias = dict[str, JsonValue]
else:
    StoredJson = Annotated[CheckedJsonValue, _AsRead()]
    StoredObject = Annotated[dict[str, CheckedJsonValue], _AsRead()]
