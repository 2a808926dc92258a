"""Template variables in prompt bodies: `{{ world.name }}` (spec/execution.md 5.2)."""

import re
from collections.abc import Mapping
from typing import cast

from covel_host.base.json_text import dump_json
from covel_host.manifest.template_variables import PLACEHOLDER, ROOTS
from covel_host.runtime.prompt_texts import escape_text
from plugin_sdk.rules.model_facing import model_facing_json
from plugin_sdk.values import JsonValue

_INDEX = re.compile(r"[0-9]{1,9}")
_MISSING = object()


class Listed(dict[str, JsonValue]):
    """Members that templates name one by one; as a whole it is shown as `text`."""

    def __init__(self, members: Mapping[str, JsonValue], *, text: str) -> None:
        super().__init__(members)
        self.text = text


def fill_template(text: str, variables: Mapping[str, JsonValue]) -> str:
    """`text` with every framework variable replaced by its value, the rest left as it stands.

    A path names members of objects and indexes of lists, nothing else of a value. What it does not
    find becomes the empty text. Texts are put in as they are, lists of texts joined by commas,
    other values as compact JSON without bookkeeping; all of it is escaped, and an inserted text is
    never searched for placeholders again.
    """

    def value_of(match: re.Match[str]) -> str:
        root, *path = match[1].split(".")
        if root not in ROOTS:
            return match[0]
        found = _lookup(variables.get(root, _MISSING), path)
        return "" if found is _MISSING else escape_text(_shown(found))

    return PLACEHOLDER.sub(value_of, text)


def _lookup(value: object, path: list[str]) -> object:
    for part in path:
        if isinstance(value, Mapping):
            value = value.get(part, _MISSING)
        elif isinstance(value, list) and _INDEX.fullmatch(part):
            value = value[int(part)] if int(part) < len(value) else _MISSING
        else:
            return _MISSING
    return value


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Listed):
        return value.text
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return dump_json(model_facing_json(cast("JsonValue", value)))
