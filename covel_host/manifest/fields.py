"""Building blocks of the manifest models: the base model, texts, lists, closed forms.

Models are strict (nothing is converted), closed (an unknown field is an error), frozen, and built
when first used. `None` means "not written"; a written `null` is refused, so no field has to tell
the two apart (spec/manifest.md 3.1).
"""

from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Strict, Tag
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from covel_host.manifest.text_forms import (
    CONTRACT_ID,
    EXTENSION_ID,
    FIELD_NAME,
    NOT_BLANK,
    PathCheck,
    check_link,
)

Item = TypeVar("Item")

if TYPE_CHECKING:
    Omittable: TypeAlias = Item | None
else:

    class Omittable:
        """`Omittable[T] = None`: a field of type `T` that may be left out, and may not be null.

        Type checkers see `T | None`, since `None` stands for "not written"; pydantic sees `T`.
        """

        def __class_getitem__(cls, item: Any) -> Any:
            return item


class ManifestModel(BaseModel):
    """Base of all manifest models: fields in camelCase, strict, closed, frozen."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        alias_generator=to_camel,
        defer_build=True,
        protected_namespaces=(),
    )


# Names of the branches of a union chosen by hand. pydantic puts them into error paths; the angle
# brackets tell them from field names there (`model_errors` takes them out again).
FLAG: Final = "<flag>"
TEXT: Final = "<text>"
INTEGER: Final = "<integer>"
NUMBER: Final = "<number>"
LIST: Final = "<list>"
MAP: Final = "<map>"
BRANCHES: Final = frozenset({FLAG, TEXT, INTEGER, NUMBER, LIST, MAP})

_KINDS: Final[dict[type, str]] = {
    bool: FLAG,
    str: TEXT,
    int: INTEGER,
    float: NUMBER,
    list: LIST,
    tuple: LIST,
    dict: MAP,
}


def kind_of(value: object) -> str | None:
    """The branch name for the kind of `value`; a model is a map (it is when it is written out)."""
    return MAP if isinstance(value, ManifestModel) else _KINDS.get(type(value))


def one_name_of(value: object, names: tuple[str, ...]) -> str | None:
    """The only one of `names` that the map or model `value` has; `None` for none or several."""
    if isinstance(value, dict):
        written = [name for name in names if name in value]
    elif isinstance(value, ManifestModel):
        written = [name for name in names if name in type(value).model_fields]
    else:
        return None
    return written[0] if len(written) == 1 else None


def by_kind(expected: str) -> Discriminator:
    """A choice between branches by the kind of value; `expected` names them in the message."""
    return Discriminator(
        kind_of,
        custom_error_type="wrong-type",
        custom_error_message="{expected}",
        custom_error_context={"expected": expected},
    )


def refuse_repeated(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """`items`, if each is there once."""
    seen: set[Item] = set()
    for index, item in enumerate(items):
        if item in seen:
            raise PydanticCustomError(
                "duplicate-item", "{item} is listed twice", {"item": repr(item), "index": index}
            )
        seen.add(item)
    return items


# A list in YAML, a tuple in the model. Only the outer value is read leniently (list to tuple).
Items: TypeAlias = Annotated[tuple[Item, ...], Strict(False)]
UniqueItems: TypeAlias = Annotated[tuple[Item, ...], Strict(False), AfterValidator(refuse_repeated)]

NonEmpty: TypeAlias = Annotated[str, Field(min_length=1)]
ContractId: TypeAlias = Annotated[str, Field(pattern=CONTRACT_ID)]
FieldName: TypeAlias = Annotated[str, Field(pattern=FIELD_NAME)]
ShortFieldName: TypeAlias = Annotated[str, Field(pattern=FIELD_NAME, max_length=64)]
ExtensionId: TypeAlias = Annotated[str, Field(pattern=EXTENSION_ID)]
Link: TypeAlias = Annotated[str, AfterValidator(check_link)]

AnyPath: TypeAlias = Annotated[str, AfterValidator(PathCheck(""))]
JsonPath: TypeAlias = Annotated[str, AfterValidator(PathCheck(".json"))]
CodePath: TypeAlias = Annotated[str, AfterValidator(PathCheck(".py"))]
RuntimeCodePath: TypeAlias = Annotated[str, AfterValidator(PathCheck(".py", may_climb=True))]
RuntimeSchema: TypeAlias = Annotated[
    str, AfterValidator(PathCheck(".json", may_climb=True, takes_contract=True))
]

Number: TypeAlias = Annotated[
    Annotated[int, Tag(INTEGER)] | Annotated[float, Tag(NUMBER)], by_kind("a number")
]
Text: TypeAlias = Annotated[
    Annotated[str, Tag(TEXT)] | Annotated[dict[str, str], Tag(MAP)],
    by_kind("a text"),
]
"""A label for players: a text, or a map from locale to text (spec/i18n.md 1)."""

_Label = Annotated[str, Field(min_length=1, max_length=40)]
LabelText: TypeAlias = Annotated[
    Annotated[_Label, Tag(TEXT)] | Annotated[dict[str, _Label], Tag(MAP)],
    by_kind("a text"),
]
_About = Annotated[str, Field(min_length=1, max_length=500)]
AboutText: TypeAlias = Annotated[
    Annotated[_About, Tag(TEXT)] | Annotated[dict[str, _About], Tag(MAP)],
    by_kind("a text"),
]


def _refuse_without_text(texts: dict[str, str]) -> dict[str, str]:
    if not any(text.strip() for text in texts.values()):
        raise PydanticCustomError("text-length", "at least one language with a text", {})
    return texts


Description: TypeAlias = Annotated[
    Annotated[str, Field(pattern=NOT_BLANK), Tag(TEXT)]
    | Annotated[dict[str, str], AfterValidator(_refuse_without_text), Tag(MAP)],
    by_kind("a text"),
]
"""A text with at least one visible character, in at least one language."""
