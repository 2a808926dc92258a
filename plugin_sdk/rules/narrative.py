"""An answered interaction as one sentence of the story (seed: create-form, 交互协议)."""

from __future__ import annotations

import re

from plugin_sdk.rules._json import JsonObject, json_text
from plugin_sdk.values import JsonValue

# A placeholder, and the one period right after it that may be doubled.
_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}([.。]?)")


def fill_narrative_template(template: str, values: JsonObject) -> str:
    """`template` with every `{{name}}` replaced by the value of that name.

    A missing value is the empty text; a value is inserted as it is and never filled again. A `.` or
    `。` directly after a placeholder is left out when the value ends with the same character.
    """

    def fill(match: re.Match[str]) -> str:
        text = _text(values.get(match[1].strip()))
        period = match[2]
        return text if period and text.endswith(period) else text + period

    return _PLACEHOLDER.sub(fill, template)


def _text(value: JsonValue) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json_text(value)
