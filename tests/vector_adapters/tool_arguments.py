"""`tool_arguments.json`: what a tool gets for the argument text that a model wrote."""

from typing import Any

import jsonschema_rs

from covel_host.tools.arguments import parse_arguments
from covel_host.tools.arguments_fields import repair_text_fields
from tests.vector_adapters.comparing import refusal_of, same_json


def check(vector: dict[str, Any]) -> None:
    text, schema = vector["arguments"], vector.get("schema")
    if "error" in vector:
        refusal_of(lambda: called_with(text, schema), ValueError)
        return
    value = called_with(text, schema)
    assert same_json(value, vector["value"]), value


def called_with(text: str, schema: dict[str, Any] | None) -> object:
    """What a tool with `schema` gets; `ArgumentsError` or `ValueError` where it is not called."""
    value = parse_arguments(text).value
    if schema is None:
        return value
    validator = jsonschema_rs.validator_for(schema)
    if not validator.is_valid(value):
        value = repair_text_fields(value, schema).value
    if not validator.is_valid(value):
        raise ValueError("does not fit the schema")
    return value


CHECKS = {None: check}
