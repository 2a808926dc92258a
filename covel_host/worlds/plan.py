"""What a new session gets from a pack, worked out and checked before anything is stored.

The same plan serves the check of a pack and the making of a session (spec/world.md 7.7, 7.12).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from covel_host.diagnostics.diagnostic import Diagnostic, fails
from covel_host.worlds.pack_media import MediaFile
from covel_host.worlds.world_manifest import PluginPolicy
from plugin_sdk.values import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRecord:
    """One record of plugin data, as JSON text."""

    plugin_id: str
    namespace: str
    key: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """Where one thing that is written comes from, so that a later sync knows it.

    `value_hash` is the SHA-256 of the stored JSON text, `source_digest` that of the files. Plugin
    ID and namespace are empty for what belongs to no package.
    """

    target: str
    key: str
    source_id: str
    source_digest: str
    value_hash: str
    plugin_id: str = ""
    namespace: str = ""
    schema_ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldPlan:
    """Everything that is written, in one language; `diagnostics` are all problems of the pack.

    `record` is the world's own record, `characters` and `lorebook` are without times, `dimensions`
    are resolved definitions by ID, `media` files whose bytes are stored.
    """

    world_id: str
    locale: str
    policy: PluginPolicy
    record: JsonObject
    character_schema: JsonObject | None
    characters: tuple[JsonObject, ...]
    lorebook: tuple[JsonObject, ...]
    dimensions: Mapping[str, JsonObject]
    data: tuple[PlannedRecord, ...]
    media: tuple[MediaFile, ...]
    ledger: tuple[LedgerEntry, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def fails(self) -> bool:
        """Whether nothing may be written: one of the problems is an error."""
        return fails(self.diagnostics)
