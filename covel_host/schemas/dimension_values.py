"""The value of a dimension checked against the schema that its definition states."""

from collections.abc import Mapping
from functools import lru_cache

from covel_host.base.json_text import dump_json, parse_json
from covel_host.schemas.compiled import CompiledSchema, SchemaError, compile_schema
from plugin_sdk.rules.dimension_schemas import dimension_value_schema
from plugin_sdk.values import JsonValue


def check_dimension_value(schema: Mapping[str, JsonValue], value: JsonValue) -> list[str]:
    """What is wrong with a dimension's value, one sentence each; the checker for SDK rules."""
    try:
        compiled = _compiled(dump_json(dimension_value_schema(dict(schema))))
    except SchemaError as error:
        return [f"The dimension's schema cannot be used: {error}."]
    return [str(problem) for problem in compiled.problems(value)]


@lru_cache(maxsize=128)
def _compiled(schema_text: str) -> CompiledSchema:
    schema = parse_json(schema_text)
    assert isinstance(schema, dict)
    return compile_schema(schema)
