"""Shapes: what a payload, an input or an output looks like, checked always from JSON text."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Annotated, Any, cast

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, SchemaError, from_json, to_json
from typing_extensions import TypedDict

from plugin_sdk._json_guard import non_finite_number
from plugin_sdk._problems import field_problems, non_finite_problem
from plugin_sdk._signature import ABSENT, ReadParameter
from plugin_sdk.errors import (
    FIX_FIELDS_HINT,
    DefinitionError,
    FieldProblem,
    ToolValidationError,
    problems_message,
)
from plugin_sdk.model_schema import model_facing_schema, schema_of
from plugin_sdk.values import JsonValue

# Settings of the shape made from a function's parameters; unknown members are ignored, and values
# never get into error texts that the sentences here did not choose.
_ARGUMENTS_CONFIG = ConfigDict(extra="ignore", hide_input_in_errors=True)


class Shape:
    """The shape behind one annotation.

    `annotation` is what the author wrote, `json_schema` its JSON Schema for models and clients
    (input side, aliases as member names, `$defs` at the root, no patterns with `\\p{…}`).
    """

    __slots__ = ("_adapter", "_validate", "annotation", "json_schema")

    def __init__(self, annotation: Any, *, subject: str) -> None:
        """Read `annotation`: a pydantic model, a `TypeAdapter`, or any type pydantic knows.

        Raises:
            DefinitionError: the type is not one pydantic can check, or has no JSON Schema; the text
                begins with `subject`.
        """
        try:
            adapter = annotation if isinstance(annotation, TypeAdapter) else TypeAdapter(annotation)
            self.json_schema: dict[str, Any] = model_facing_schema(schema_of(adapter))
            validator = adapter.validator
        except PydanticInvalidForJsonSchema as error:
            raise DefinitionError(
                f"{subject}: a part of the shape has no JSON Schema ({_first_line(error)}). "
                f"Use types that JSON can hold."
            ) from error
        except (PydanticUserError, SchemaError, TypeError, NameError) as error:
            raise DefinitionError(
                f"{subject}: the shape cannot be checked ({_first_line(error)}). Use JSON types, "
                f"dataclasses or pydantic models."
            ) from error
        self.annotation = annotation
        self._adapter = adapter
        self._validate: Callable[[str], Any] = partial(validator.validate_json, strict=True)

    def parse(self, text: str) -> Any:
        """The value one JSON text holds, checked strictly (`"5"` is not 5), defaults filled in.

        Raises:
            ToolValidationError: not JSON, a number that is not finite, or a value that does not
                fit; `details` and `message` list every problem by field.
        """
        token = non_finite_number(text)
        if token is not None:
            raise _invalid((non_finite_problem(token),))
        try:
            return self._validate(text)
        except ValidationError as error:
            problems = field_problems(
                error.errors(include_url=False), text, schema=self.json_schema
            )
            raise _invalid(problems) from error

    def to_json(self, value: object) -> JsonValue:
        """`value` as JSON after a check against this shape; models and dataclasses are written out.

        Raises:
            ToolValidationError: the value has no JSON form or does not fit.
        """
        if self.annotation is object and (oddity := _oddity(value)) is not None:
            # Without an annotation nobody has said that a set is a list and bytes are a text.
            raise ToolValidationError(oddity)
        try:
            text = to_json(value, by_alias=True, inf_nan_mode="constants").decode("utf-8")
        except (PydanticSerializationError, ValueError, RecursionError) as error:
            message = f"The value has no JSON form: {_first_line(error)}."
            raise ToolValidationError(message) from error
        checked = self.parse(text)
        return cast("JsonValue", from_json(self._adapter.dump_json(checked, by_alias=True)))


def arguments_shape(parameters: tuple[ReadParameter, ...], *, subject: str) -> Shape:
    """The shape of a JSON object whose members are the parameters of a function.

    Its `parse` gives the keyword arguments.

    Raises:
        DefinitionError: as `Shape`; the text names the parameter.
    """
    members = {parameter.name: _field_annotation(parameter) for parameter in parameters}
    # A dictionary from the start: a record of a class takes pydantic half as long again.
    record = TypedDict("Arguments", members)  # type: ignore[misc]  # known only by now
    configured: Any = record
    configured.__pydantic_config__ = _ARGUMENTS_CONFIG
    try:
        return Shape(record, subject=subject)
    except DefinitionError as error:
        whole = error
    # Outside the `except`, so that the author's traceback shows one cause.
    for parameter in parameters:
        Shape(parameter.annotation, subject=f"{subject}: the parameter {parameter.name!r}")
    raise whole


def value_shape(annotation: Any, *, subject: str) -> Shape:
    """The shape of an annotation, any JSON object where there is none."""
    return Shape(Mapping[str, object] if annotation is ABSENT else annotation, subject=subject)


def _oddity(value: object) -> str | None:
    """What in `value` pydantic writes as JSON although it is none, as a sentence."""
    stack, seen = [value], set[int]()
    while stack:
        part = stack.pop()
        if isinstance(part, bytes | bytearray | set | frozenset | Iterator):
            return f"A value of type {type(part).__name__!r} has no JSON form."
        if not isinstance(part, dict | list | tuple) or id(part) in seen:
            continue
        seen.add(id(part))
        if not isinstance(part, dict):
            stack.extend(part)
            continue
        for key, item in part.items():
            if not isinstance(key, str):
                return f"The key {key!r:.80} is not text; JSON objects have text keys."
            stack.append(item)
    return None


def _field_annotation(parameter: ReadParameter) -> Any:
    # Defaults go into the annotation; pydantic copies mutable ones.
    if parameter.default is ABSENT:
        return parameter.annotation
    if isinstance(parameter.default, FieldInfo):
        return Annotated[parameter.annotation, parameter.default]
    return Annotated[parameter.annotation, Field(default=parameter.default)]


def _invalid(problems: tuple[FieldProblem, ...]) -> ToolValidationError:
    return ToolValidationError(problems_message(problems), hint=FIX_FIELDS_HINT, details=problems)


def _first_line(error: Exception) -> str:
    line = (str(error).strip().splitlines() or [type(error).__name__])[0]
    # What pydantic advises after that is for the owner of a model's settings, not for an author.
    return line.partition(". Set ")[0].rstrip(".")
