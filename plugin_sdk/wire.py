"""Models that cross a boundary as JSON: camelCase outside, snake_case in Python."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic.alias_generators import to_camel

from plugin_sdk._stored_json import StoredJson

UiPartStatus: TypeAlias = Literal["pending", "streaming", "success", "error", "paused"]


class WireModel(BaseModel):
    """A frozen, strictly checked record; fields are given by their Python names.

    Written out, it has camelCase members, and optional members that were not given are left out.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        # Built on first use: a package that only has tools never pays for the proposals.
        defer_build=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        serialize_by_alias=True,
        strict=True,
        validate_by_alias=True,
        validate_by_name=True,
    )

    def members(self) -> dict[str, Any]:
        """The record as it is written out, sharing the JSON values of its fields."""
        given = self.model_fields_set
        written = {
            field.serialization_alias or name: _member(value)
            for name, field in type(self).model_fields.items()
            if (value := getattr(self, name, None)) is not None or name in given
        }
        return {**written, **(self.model_extra or {})}

    @model_serializer(mode="wrap")
    def _without_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = handler(self)
        for name, field in type(self).model_fields.items():
            if name not in self.model_fields_set and getattr(self, name) is None:
                written.pop(name, None)
                written.pop(field.serialization_alias or name, None)
        return written


def _member(value: Any) -> Any:
    if isinstance(value, WireModel):
        return value.members()
    if isinstance(value, list) and value and isinstance(value[0], WireModel):
        return [item.members() for item in value]
    return value


class MediaRef(WireModel):
    """A stored asset by its content: `id` is the SHA-256 of the bytes (spec/media.md 1)."""

    id: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    mime: Annotated[str, Field(min_length=1)]
    size: Annotated[int, Field(ge=0)]


class UiRetry(WireModel):
    """How often a part was tried, and why it failed last."""

    count: int
    last_error: str | None = None


class UiPart(WireModel):
    """One part of a UI block with a state of its own (seed: render-ui)."""

    id: str
    type: str
    status: UiPartStatus
    content: StoredJson
    retry: UiRetry | None = None
