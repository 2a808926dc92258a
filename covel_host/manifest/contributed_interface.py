"""Settings, UI specs and static prompt segments (spec/manifest.md 4.9, 4.11, 4.13)."""

from typing import Annotated, Any, Literal

from pydantic import Field, Tag

from covel_host.manifest.fields import (
    MAP,
    TEXT,
    AnyPath,
    FieldName,
    Items,
    ManifestModel,
    NonEmpty,
    Number,
    Omittable,
    Text,
    by_kind,
)


class SettingOption(ManifestModel):
    """One choice of a `select` setting."""

    value: str
    label: Text


class Setting(ManifestModel):
    """A setting a player can change; a world preset or `default` stands in for the player."""

    key: FieldName
    type: Literal["text", "textarea", "number", "integer", "toggle", "select", "slider", "slot"]
    default: Any = None
    label: Text
    description: Omittable[Text] = None
    min: Omittable[Number] = None
    max: Omittable[Number] = None
    step: Omittable[Number] = None
    options: Omittable[Items[SettingOption]] = None


class UserInterface(ManifestModel):
    """UI specs by placement, as package-relative paths."""

    right: Items[AnyPath] = ()
    message: Items[AnyPath] = ()
    left: Items[AnyPath] = ()


class PromptDepth(ManifestModel):
    """A place counted in messages from the end of the history."""

    depth: Annotated[int, Field(ge=0)]


class PromptSegment(ManifestModel):
    """A fixed text in the prompt of every runtime of the package."""

    id: NonEmpty
    content: str
    position: Annotated[
        Annotated[Literal["system", "pre-history", "post-history"], Tag(TEXT)]
        | Annotated[PromptDepth, Tag(MAP)],
        by_kind("'system', 'pre-history', 'post-history', or a map with 'depth'"),
    ]
    role: Literal["system", "user", "assistant"] = "system"
