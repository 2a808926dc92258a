"""JSON files of a package as values, within limits that no honest file meets."""

from dataclasses import dataclass
from typing import Final

from covel_host.base.json_text import JsonTextError, parse_json
from covel_host.manifest.rules.package_folder import MAX_LOOKED_AT_BYTES
from plugin_sdk.values import JsonValue

MAX_VALUES: Final = 20_000
MAX_DEPTH: Final = 64


@dataclass(frozen=True, slots=True)
class JsonFile:
    """The value of a JSON file, or the one thing that is wrong with its text.

    `problem` is the name of a diagnostic; `line` and `column` count from 1, 0 without a place.
    """

    value: JsonValue = None
    problem: str = ""
    message: str = ""
    line: int = 0
    column: int = 0


def read_json_value(content: bytes) -> JsonFile:
    """What the JSON text `content` holds."""
    # Imported here: most packages name no JSON file.
    import orjson

    if len(content) > MAX_LOOKED_AT_BYTES:
        return JsonFile(problem="json-too-large", message="has more than 1 MB")
    brackets = content.count(b"[") + content.count(b"{")
    if brackets > MAX_DEPTH and _depth(content) > MAX_DEPTH:
        return JsonFile(problem="json-too-large", message=f"nests deeper than {MAX_DEPTH} levels")
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError:
        try:
            # What only this reader takes: a byte-order mark; and its errors have a place.
            value = parse_json(content)
        except JsonTextError as error:
            return JsonFile(
                problem="json-syntax",
                message=error.message,
                line=error.line,
                column=error.column,
            )
    if brackets + content.count(b",") > MAX_VALUES and _count(value) > MAX_VALUES:
        return JsonFile(problem="json-too-large", message=f"holds more than {MAX_VALUES:,} values")
    return JsonFile(value)


def _depth(content: bytes) -> int:
    """The deepest nesting of brackets outside texts, without recursion."""
    depth = deepest = 0
    in_text = escaped = False
    for byte in content:
        if in_text:
            in_text = escaped or byte != 0x22
            escaped = byte == 0x5C and not escaped
        elif byte == 0x22:
            in_text = True
        elif byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"]}":
            depth -= 1
    return deepest


def _count(value: object) -> int:
    count, waiting = 0, [value]
    while waiting and count <= MAX_VALUES:
        found = waiting.pop()
        count += 1
        if isinstance(found, dict):
            waiting.extend(found.values())
        elif isinstance(found, list):
            waiting.extend(found)
    return count
