"""The data descriptor as a model, and what its targets mean (spec/world.md 7.3)."""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from covel_host.diagnostics.near_names import nearest
from covel_host.worlds.models import (
    CONTRACT_ID,
    SOURCE_ID,
    FieldName,
    Items,
    PackPath,
    Text,
    WorldModel,
)

DEFAULT_DESCRIPTOR: Final = "data/world.data.yaml"
DIMENSIONS_SCHEMA: Final = "covel://world/dimensions"
MAX_SOURCES: Final = 200

SourceKind: TypeAlias = Literal["yaml", "json", "markdown", "text", "media"]
TargetKind: TypeAlias = Literal["dimensions", "contract", "lorebook", "characters", "media"]


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class SourceEntry(WorldModel):
    """One source: a file, what is in it, and where its records go.

    `key` names the field that is the key of each record (`id` when it is left out), is `filename`
    for media and the key itself for a text.
    """

    kind: SourceKind
    path: PackPath
    to: Text
    schema_uri: Annotated[Text | None, Field(alias="schema")] = None
    key: Text | None = None
    locale_array_keys: Items[FieldName] = ()
    index_to: Text | None = None
    effects: Items[Literal["characters", "projections"]] = ()
    enabled: bool = True
    locale: Text | None = None
    merge: Literal["replace", "skipExisting"] = "replace"
    after: Annotated[Items[Text], BeforeValidator(_listed)] = ()
    visibility: Literal["public", "hidden"] = "public"


class WorldData(WorldModel):
    """`data/world.data.yaml`: the sources by ID."""

    schema_version: Literal[1]
    sources: Annotated[
        dict[Annotated[str, Field(pattern=SOURCE_ID)], SourceEntry], Field(max_length=MAX_SOURCES)
    ]


class TargetError(ValueError):
    """A target that means nothing; `hint` says what was probably meant."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Target:
    """Where records go; `contract` is set for `contract` alone."""

    kind: TargetKind
    contract: str | None = None
    has_lorebook: bool = False

    @property
    def text(self) -> str:
        """The target as descriptors write it."""
        if self.kind == "dimensions":
            return "world:metadata.dimensions"
        if self.contract is None:
            return self.kind
        return f"contract:{self.contract}{'+lorebook' if self.has_lorebook else ''}"


_PLAIN: Final[dict[str, TargetKind]] = {
    "world:metadata.dimensions": "dimensions",
    "lorebook": "lorebook",
    "characters": "characters",
    "media": "media",
}
_CONTRACT: Final = re.compile(CONTRACT_ID)


def parse_target(text: str) -> Target:
    """What the `to` of a source means.

    Raises:
        TargetError: it is no target of this format.
    """
    if (kind := _PLAIN.get(text)) is not None:
        return Target(kind)
    if text.startswith("contract:"):
        has_lorebook = text.endswith("+lorebook")
        return Target("contract", contract_of(text.removesuffix("+lorebook")), has_lorebook)
    if text.startswith("world:metadata."):
        raise TargetError(
            f"the target {text!r} is not written anywhere; of `world:metadata` only `dimensions` "
            "is",
            hint="Write 'world:metadata.dimensions', or send the records to a contract.",
        )
    near = nearest(text, [*_PLAIN, "contract:"])
    raise TargetError(
        f"{text!r} is no target",
        hint=f"The nearest target is {near!r}."
        if near
        else "Targets are 'characters', 'lorebook', 'media', 'world:metadata.dimensions' and "
        "'contract:<contract>', such as 'contract:quests@1'.",
    )


def contract_of(text: str) -> str:
    """The contract that `contract:<contract>` names.

    Raises:
        TargetError: what follows is no contract.
    """
    contract = text.removeprefix("contract:")
    if contract == text or not _CONTRACT.fullmatch(contract):
        raise TargetError(
            f"{text!r} names no contract",
            hint="A contract is a name, '@' and a version, such as 'contract:quests@1'.",
        )
    return contract
