"""The arguments of the tools made from a data set, read from the text a model wrote."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BaseModel, Field

from covel_host.tools.arguments_fields import repair_text_fields
from covel_host.tools.dataset_schemas import DEFAULT_PAGE, MAX_PAGE
from plugin_sdk.errors import FIX_FIELDS_HINT, FieldProblem, ToolValidationError, problems_message
from plugin_sdk.rules.data_ops import MAX_DATA_OPS, MIN_DATA_OPS
from plugin_sdk.rules.keys import DatasetToolKind
from plugin_sdk.shapes import Shape
from plugin_sdk.values import JsonObject, JsonValue

Scalar: TypeAlias = str | bool | int | float | None


class GetArguments(BaseModel):
    """Arguments of a get tool."""

    key: str


class ListArguments(BaseModel):
    """Arguments of a list tool."""

    where: dict[str, Scalar] = Field(default_factory=dict)
    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = DEFAULT_PAGE


class UpsertArguments(BaseModel):
    """Arguments of an upsert tool whose data set has a key field."""

    record: JsonValue


class KeyedUpsertArguments(BaseModel):
    """Arguments of an upsert tool whose data set has none."""

    key: str
    record: JsonValue


class UpdateArguments(BaseModel):
    """Arguments of an update tool; what an operation may hold is the data operations' to say."""

    key: str
    ops: Annotated[
        list[dict[str, JsonValue]], Field(min_length=MIN_DATA_OPS, max_length=MAX_DATA_OPS)
    ]


_MODELS: Final[Mapping[tuple[DatasetToolKind, bool], type[BaseModel]]] = {
    ("get", True): GetArguments,
    ("get", False): GetArguments,
    ("list", True): ListArguments,
    ("list", False): ListArguments,
    ("upsert", True): UpsertArguments,
    ("upsert", False): KeyedUpsertArguments,
    ("update", True): UpdateArguments,
    ("update", False): UpdateArguments,
}


def parse_dataset_arguments(
    kind: DatasetToolKind, text: str, *, has_key_field: bool
) -> dict[str, object]:
    """The arguments of one call, checked strictly; whether a record fits is no part of that.

    Raises:
        ToolValidationError: not JSON, or a shape that does not fit.
    """
    arguments: dict[str, object] = _shape(kind, has_key_field).parse(text).__dict__
    return arguments


def refuse_texts(arguments: JsonValue, schema: JsonObject) -> None:
    """Refuse texts that stand where `schema` wants an array or an object.

    The path of every call repairs those once the first check has failed (seed: 模型写错的参数
    JSON); all else about a record is for the checks of the write, in their own order.

    Raises:
        ToolValidationError: there is such a text.
    """
    repaired = repair_text_fields(arguments, schema)
    details = repaired.problems or tuple(
        FieldProblem(path, "Expected an array or an object, not text.")
        for path in repaired.repaired_paths
    )
    if details:
        raise ToolValidationError(problems_message(details), hint=FIX_FIELDS_HINT, details=details)


@cache
def _shape(kind: DatasetToolKind, has_key_field: bool) -> Shape:
    model: Any = _MODELS[kind, has_key_field]
    return Shape(model, subject=f"The {kind} tool of a data set")
