"""The form of a `suspend` call as the JSON Schema of its answer (seed: suspend)."""

from __future__ import annotations

from collections.abc import Sequence

from plugin_sdk.errors import FIX_FIELDS_HINT, ToolValidationError
from plugin_sdk.rules._json import JsonObject
from plugin_sdk.rules.forms import FormField, check_form_fields
from plugin_sdk.values import JsonValue

_TYPES = {
    "text": "string",
    "textarea": "string",
    "select": "string",
    "checkbox": "boolean",
    "number": "number",
}


def compile_resume_schema(fields: Sequence[JsonObject]) -> dict[str, JsonValue]:
    """The schema that the player's answer must fit: an object of field names and values.

    `required` lists the required fields and is left out when there are none. A step and the labels
    of options are not part of it.

    Raises:
        ToolValidationError: There is no field, or a field is wrong; see `check_form_fields`.
    """
    checked = check_form_fields(fields)
    if not checked:
        raise ToolValidationError("suspend needs at least one field.", hint=FIX_FIELDS_HINT)
    required: list[JsonValue] = [field.name for field in checked if field.required]
    return {
        "type": "object",
        "properties": {field.name: _property(field) for field in checked},
        "additionalProperties": False,
        **({"required": required} if required else {}),
    }


def _property(field: FormField) -> dict[str, JsonValue]:
    compiled: dict[str, JsonValue] = {"type": _TYPES[field.type], "title": field.label}
    if field.type in ("text", "textarea") and field.required:
        compiled["minLength"] = 1
    if field.type == "select":
        compiled["enum"] = list(field.options)
    if field.minimum is not None:
        compiled["minimum"] = field.minimum
    if field.maximum is not None:
        compiled["maximum"] = field.maximum
    if field.default is not None:
        compiled["default"] = field.default
    return compiled
