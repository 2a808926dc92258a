"""JSON values inside proposals: copied and checked, but for those that came out of JSON text.

Walking a record of 256 KiB node by node to see once more that it is JSON took ten times as long as
reading it.
"""

import math
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from pydantic import GetCoreSchemaHandler, ValidationInfo
from pydantic import JsonValue as CheckedJsonValue
from pydantic_core import CoreSchema, core_schema

if TYPE_CHECKING:
    from plugin_sdk.values import JsonValue

FROM_JSON_TEXT: Final = object()
"""The validation context of values that were just read from JSON text and belong to nobody else."""


class _Checked:
    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        accepts_all = source is CheckedJsonValue

        def check(value: Any, walk: Any, info: ValidationInfo) -> Any:
            is_read = info.context is FROM_JSON_TEXT
            if is_read and (accepts_all or isinstance(value, dict)):
                return value
            return _finite(walk(value))

        return core_schema.with_info_wrap_validator_function(check, handler(source))


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
    StoredJson = Annotated[CheckedJsonValue, _Checked()]
    StoredObject = Annotated[dict[str, CheckedJsonValue], _Checked()]
