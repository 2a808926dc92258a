"""The stored text of checked values, which is also what their size is measured on."""

import orjson

from covel_host.base.json_text import dump_json
from plugin_sdk.values import JsonValue


def value_text(value: JsonValue) -> str:
    """The JSON text of a checked value, as it is stored and measured."""
    try:
        return orjson.dumps(value).decode("utf-8")
    except orjson.JSONEncodeError:
        return dump_json(value)
