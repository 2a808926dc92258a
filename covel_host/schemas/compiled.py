"""One JSON Schema, compiled once and checked often."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from covel_host.schemas.messages import describe
from plugin_sdk.values import JsonValue

MAX_PROBLEMS = 20
"""Problems reported of one value at most; an author mends the first ones first."""


class SchemaError(ValueError):
    """A schema cannot be compiled; `reason` says why, `path` is dotted inside the schema.

    Both have no full stop at their end, so that they can stand in a sentence.
    """

    def __init__(self, reason: str, *, path: str = "") -> None:
        self.reason = reason.removesuffix(".")
        super().__init__(f"{self.reason} (at {path})" if path else self.reason)
        self.path = path


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """One way in which a value breaks its schema.

    `path` is dotted from the value's root, list items by index, "" for the root itself; `message`
    is one sentence about the value there.
    """

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class CompiledSchema:
    """A compiled schema; safe to use from several threads."""

    __slots__ = ("_validator", "schema")

    def __init__(self, schema: Mapping[str, JsonValue] | bool, validator: Any) -> None:
        self.schema = schema
        self._validator = validator

    def accepts(self, value: JsonValue) -> bool:
        """Whether `value` fits; the fast path, without messages."""
        return bool(self._validator.is_valid(value))

    def problems(self, value: JsonValue, *, limit: int = MAX_PROBLEMS) -> list[SchemaProblem]:
        """What is wrong with `value`, in the order of the schema; empty when it fits."""
        found: list[SchemaProblem] = []
        for error in self._validator.iter_errors(value):
            if len(found) == limit:
                break
            path = ".".join(str(part) for part in error.instance_path)
            found.append(SchemaProblem(path=path, message=describe(error)))
        return found


def compile_schema(schema: Mapping[str, JsonValue] | bool) -> CompiledSchema:
    """A checker for `schema` (draft 2020-12, or the draft that its `$schema` names).

    References resolve inside the schema alone. Patterns run in an engine whose time is linear in
    the text, so look-around and back-references are refused here.

    Raises:
        SchemaError: not a schema, a reference that leaves it, or a pattern the engine refuses.
    """
    # Imported here: commands that compile nothing do not load the engine.
    import jsonschema_rs

    plain = schema if isinstance(schema, bool) else dict(schema)
    try:
        validator = jsonschema_rs.validator_for(
            plain,
            offline=True,
            pattern_options=jsonschema_rs.RegexOptions(size_limit=4_000_000),
        )
    except jsonschema_rs.ValidationError as error:
        path = ".".join(str(part) for part in error.instance_path)
        raise SchemaError(_reason(error), path=path) from None
    except (ValueError, RecursionError) as error:
        raise SchemaError(str(error).splitlines()[0]) from None
    return CompiledSchema(schema, validator)


def _reason(error: Any) -> str:
    if type(error.kind).__name__ == "Referencing":
        return (
            f"A reference cannot be followed: {error.message}. "
            "References stay inside the schema file, such as '#/$defs/name'."
        )
    if type(error.kind).__name__ == "Format" and error.kind.format == "regex":
        return (
            f"The pattern {error.instance!r} cannot be used: look-around and back-references "
            "are not supported, everything else must be a regular expression."
        )
    return describe(error)
