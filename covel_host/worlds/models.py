"""What the models of a pack's files share, and the forms of texts in them (spec/world.md 7.2).

Models are strict, closed and frozen. A field without a value is one that is not written. Texts are
plain: a main file holds one language, its translations lie in files beside it.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Final, TypeAlias, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from plugin_sdk.names import CONTRACT_PATTERN

Item = TypeVar("Item")

WORLD_ID: Final = r"^[a-z][a-z0-9-]*$"
CONTRACT_ID: Final = f"^{CONTRACT_PATTERN}$"
SOURCE_ID: Final = r"^[a-z][a-zA-Z0-9_-]{0,63}$"
FIELD_NAME: Final = r"^[a-zA-Z][a-zA-Z0-9_-]{0,63}$"
NOT_BLANK: Final = r"\S"
COLOUR: Final = r"^(#[0-9a-fA-F]{6}|oklch\([0-9a-z.%/ +-]{1,60}\))$"
LOCALE: Final = (
    r"^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?"
    r"(-[a-z0-9]{5,8})*(-[a-wyz](-[a-z0-9]{2,8})+)*$"
)
FORMS: Final[Mapping[str, str]] = {
    WORLD_ID: "lowercase letters, digits and hyphens, starting with a letter, such as 'salt-quay'",
    CONTRACT_ID: "a contract: lowercase letters, digits, dots and hyphens, then '@' and a version "
    "from 1, such as 'quests@1'",
    SOURCE_ID: "at most 64 letters, digits, '_' and '-', starting with a lowercase letter",
    FIELD_NAME: "at most 64 letters, digits, '_' and '-', starting with a letter",
    NOT_BLANK: "a text with at least one visible character",
    COLOUR: "a colour such as '#3a5f6b' or 'oklch(0.62 0.09 220)'",
    LOCALE: "a language tag in canonical form, such as 'en', 'pt-BR' or 'zh-Hant-TW'",
}
"""What each pattern asks for; completes "expected …"."""

_LOCALE: Final = re.compile(LOCALE)
_LONGEST_LINK: Final = 2048


class WorldModel(BaseModel):
    """Base of the models: fields in camelCase, strict, closed, frozen."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, alias_generator=to_camel, defer_build=True
    )


def is_locale(text: str) -> bool:
    """Whether `text` is a language tag as file names have it."""
    return _LOCALE.fullmatch(text) is not None


def _https(link: str) -> str:
    """`link`, if it is an https address that may be shown to players."""
    try:
        parts = urlsplit(link)
    except ValueError:
        parts = urlsplit("")
    shown = link.isprintable() and not any(char.isspace() for char in link)
    if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc or not shown:
        expected = "a link that starts with 'https://', without spaces, user name or password"
        raise PydanticCustomError("link-refused", "{expected}", {"expected": expected})
    return link


def _pack_path(path: str) -> str:
    """`path`, if it is relative and stays inside the pack as far as its text shows."""
    parts = path.split("/")
    if ".." in parts:
        expected = "a path inside the world pack"
        raise PydanticCustomError("path-outside-package", "{expected}", {"expected": expected})
    if path.startswith("/") or "\\" in path or "\0" in path or parts[0].endswith(":"):
        expected = "a relative path inside the world pack, with forward slashes"
        raise PydanticCustomError("text-malformed", "{expected}", {"expected": expected})
    return path


def _media_file(*suffixes: str) -> AfterValidator:
    def check(path: str) -> str:
        folder, *inner = _pack_path(path).split("/")
        if folder != "media" or len(inner) not in (1, 2) or not path.lower().endswith(suffixes):
            kinds = ", ".join(suffixes)
            expected = f"a file below 'media/' that ends in one of {kinds}"
            raise PydanticCustomError("text-malformed", "{expected}", {"expected": expected})
        return path

    return AfterValidator(check)


Items: TypeAlias = Annotated[tuple[Item, ...], Strict(False)]
Text: TypeAlias = Annotated[str, Field(pattern=NOT_BLANK)]
Locale: TypeAlias = Annotated[str, Field(pattern=LOCALE)]
ContractId: TypeAlias = Annotated[str, Field(pattern=CONTRACT_ID)]
FieldName: TypeAlias = Annotated[str, Field(pattern=FIELD_NAME)]
PackPath: TypeAlias = Annotated[str, Field(min_length=1), AfterValidator(_pack_path)]
Link: TypeAlias = Annotated[str, Field(max_length=_LONGEST_LINK), AfterValidator(_https)]
Picture: TypeAlias = Annotated[str, _media_file(".png", ".jpg", ".jpeg", ".webp")]
Music: TypeAlias = Annotated[str, _media_file(".mp3", ".wav")]
