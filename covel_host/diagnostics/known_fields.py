"""Which fields an object of a manifest has, found by walking the models along an error's place."""

from collections.abc import Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, Tag


def fields_at(model: type[BaseModel], place: Sequence[str | int]) -> tuple[str, ...]:
    """The field names, as written in files, of the object at `place`; empty if it has none.

    `place` is an error's place as pydantic gives it, branch names of unions included.
    """
    found: Any = model
    for part in place:
        found = _inner(found, part)
        if found is None:
            return ()
    found = _bare(found)
    if not _is_model(found):
        return ()
    return tuple(field.alias or name for name, field in found.model_fields.items())


def _inner(annotation: Any, part: str | int) -> Any:
    """The annotation of what lies at `part` inside a value of `annotation`."""
    found = _bare(annotation)
    origin = get_origin(found)
    if origin in (Union, UnionType):
        return _branch(get_args(found), part)
    if _is_model(found):
        fields = found.model_fields
        return next((f.annotation for name, f in fields.items() if (f.alias or name) == part), None)
    if origin is tuple:
        return get_args(found)[0]
    if origin is dict:
        return get_args(found)[1]
    return None


def _branch(branches: Sequence[Any], name: str | int) -> Any:
    for branch in branches:
        metadata = getattr(branch, "__metadata__", ())
        if any(isinstance(item, Tag) and item.tag == name for item in metadata):
            return branch
    return None


def _bare(annotation: Any) -> Any:
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    return annotation


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
