"""The base of what the framework's own tools take, with schemas that are short for a model."""

from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from plugin_sdk.values import JsonValue


def _shortened(schema: dict[str, Any]) -> None:
    """Leave out what tells a model nothing: our own words on the class, and that null is none."""
    schema.pop("description", None)
    for name, field in schema.get("properties", {}).items():
        schema["properties"][name] = _without_null(field)


def _without_null(field: dict[str, Any]) -> dict[str, Any]:
    branches = [branch for branch in field.get("anyOf", ()) if branch != {"type": "null"}]
    kept = {
        key: value
        for key, value in field.items()
        if key != "anyOf" and not (key == "default" and value is None)
    }
    if not branches:
        return kept
    return {**branches[0], **kept} if len(branches) == 1 else {**kept, "anyOf": branches}


class ToolInput(BaseModel):
    """One object of a tool's arguments, camelCase outside.

    Members it does not know are dropped, as unknown arguments are; an optional member that is null
    counts as left out.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
        json_schema_extra=_shortened,
    )

    def given(self) -> dict[str, JsonValue]:
        """The members that hold something, as JSON."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
