"""Records whose form the host knows: characters and lorebook entries (spec/world.md 4, 9)."""

from typing import Any, Literal

from pydantic import Field

from covel_host.worlds.models import Items, Text, WorldModel


class CharacterEntry(WorldModel):
    """One character of `characters/characters.json`."""

    id: Text
    name: Text
    type: Text = "npc"
    aliases: Items[str] = ()
    description: str | None = None
    fields: dict[str, Any] = Field(default_factory=dict)


class LoreEntry(WorldModel):
    """One lorebook entry; `kind: triggered` is an older way to write `strategy: selective`."""

    id: Text
    content: Text
    keys: Items[str] = ()
    strategy: Literal["constant", "selective"] | None = None
    kind: Literal["constant", "triggered"] | None = None
    position: Text | int | None = None
    insertion_order: float | None = None
    enabled: bool = True
    extra: dict[str, Any] | None = None

    @property
    def is_selective(self) -> bool:
        """Whether the entry waits for one of its keys."""
        if self.strategy is not None:
            return self.strategy == "selective"
        return self.kind == "triggered"
