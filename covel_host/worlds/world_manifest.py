"""`world.yaml` as a model (spec/world.md 2.4, 7.2)."""

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from covel_host.worlds.models import (
    COLOUR,
    WORLD_ID,
    ContractId,
    Items,
    Link,
    Locale,
    Music,
    PackPath,
    Picture,
    Text,
    WorldModel,
)

WORLD_MANIFEST: Final = "world.yaml"
LORE_FILE: Final = "WORLD.md"


class AuthorLink(WorldModel):
    """One address of the author."""

    label: Text
    url: Link


class WorldAuthor(WorldModel):
    """Who made the world; shown before play only."""

    name: Text
    url: Link | None = None
    about: Text | None = None
    links: Annotated[Items[AuthorLink], Field(max_length=6)] = ()


class PluginPack(WorldModel):
    """A group of packages that go together."""

    id: Text
    label: Text
    description: Text | None = None
    requested: Items[Text] = ()
    recommended: Items[Text] = ()
    tags: Items[str] = ()
    reason: Text | None = None


class PluginPolicy(WorldModel):
    """Which packages a session of the world gets, and which contracts it cannot do without."""

    preset_id: Text | None = None
    packs: Items[PluginPack] = ()
    preferred_tags: Items[str] = ()
    avoided_tags: Items[str] = ()
    requested: Items[Text] = ()
    recommended: Items[Text] = ()
    requires: Items[ContractId] = ()


class Attribute(WorldModel):
    """One attribute of characters; which fields it has beside `type` follows from that."""

    id: Text
    name: Text
    type: Literal["string", "number", "boolean", "enum", "array", "object", "map"]
    category: Literal["stats", "bio", "abilities", "equipment", "social"]
    min: float | None = None
    max: float | None = None
    default_value: Any = None
    item_type: Literal["string", "number"] | None = None
    options: Items[str] | None = None
    sub_schema: "Items[Attribute] | None" = None
    value_type: Literal["string", "number", "boolean"] | None = None
    description: Text | None = None


class CharacterSchema(WorldModel):
    """The types and attributes of characters; the order of attributes is that of display."""

    types: Items[Text]
    attributes: Items[Attribute] = ()


class WorldManifest(WorldModel):
    """Everything `world.yaml` says; `dimensions` are checked by their own rules."""

    schema_version: Text
    id: Annotated[str, Field(pattern=WORLD_ID)]
    name: Text
    summary: Text
    default_locale: Locale
    version: Text | None = None
    supported_locales: Items[Locale] = ()
    tags: Items[str] = ()
    author: WorldAuthor | None = None
    license: Text | None = None
    homepage: Link | None = None
    plugin_policy: PluginPolicy = PluginPolicy()
    world_data: PackPath | None = None
    character_schema: CharacterSchema | None = None
    dimensions: dict[str, dict[str, Any]] = Field(default_factory=dict)
    dimension_sources: dict[str, PackPath] = Field(default_factory=dict)
    plugin_settings: dict[str, dict[str, Any]] = Field(default_factory=dict)
    default_view_mode: Literal["stage", "parsed"] | None = None
    cover: Picture | None = None
    accent_color: Annotated[str, Field(pattern=COLOUR)] | None = None
    theme_music: Music | None = None

    @property
    def locales(self) -> tuple[str, ...]:
        """The declared languages, the one of the main files first."""
        return tuple(dict.fromkeys((self.default_locale, *self.supported_locales)))


STAND_INS: Final = {
    "schemaVersion": "1.0",
    "id": "world",
    "name": "world",
    "summary": "world",
    "defaultLocale": "en",
}
"""Values of the required fields where the written one cannot be used, so that the rest is read."""
