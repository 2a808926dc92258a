"""`@dataset`: a pydantic model as the record shape of a declared data set."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter

from plugin_sdk._naming import named
from plugin_sdk.errors import DefinitionError
from plugin_sdk.model_schema import schema_of
from plugin_sdk.shapes import Shape

_ATTRIBUTE = "__covel_dataset__"

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class DataSet:
    """The record shape of one data set.

    `json_schema` is the authority when a tool is called and at commit, every pattern in it; the
    class is for the author's code (design/sdk.md).
    """

    name: str
    model: type[BaseModel]
    json_schema: dict[str, Any]


def dataset(name: str) -> Callable[[type[M]], type[M]]:
    """Make a pydantic model the record shape of the data set `name`; the class stays itself.

    Raises:
        DefinitionError: a name that does not begin with a letter, a class that is no model, or one
            without a JSON Schema.
    """
    subject = named(
        "Data set",
        name,
        pattern=r"[A-Za-z][A-Za-z0-9_-]*",
        expected="letters, digits, '_' and '-', a letter first",
    )

    def decorate(model: type[M]) -> type[M]:
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            raise DefinitionError(f"{subject}: {model!r} is not a pydantic model class.")
        # A shape says what is wrong with a model; its own schema is the one shown to models of
        # providers, and leaves out patterns that records are still checked against.
        Shape(model, subject=subject)
        setattr(model, _ATTRIBUTE, DataSet(name, model, schema_of(TypeAdapter(model))))
        return model

    return decorate


def dataset_of(model: object) -> DataSet | None:
    """The data set a class was marked for, None for any other object; sub-classes do not count."""
    if not isinstance(model, type):
        return None
    marked = model.__dict__.get(_ATTRIBUTE)
    return marked if isinstance(marked, DataSet) else None
