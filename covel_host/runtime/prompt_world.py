"""The template variables of the world: `world`, `characters`, and the player's character.

Spec/execution.md 5.2 (other facts). What a prompt shows is no read of the run's read set.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from covel_host.proposals.seats import DEFAULT_SEAT_ID
from covel_host.proposals.world_view import WorldView
from covel_host.runtime.prompt_inputs import InputBinding
from covel_host.runtime.prompt_lore import Lorebook
from covel_host.runtime.prompt_roster import (
    PART_LIMIT,
    ROSTER_LIMIT,
    RosterCharacter,
    npc_roster,
)
from covel_host.runtime.prompt_templates import Listed
from covel_host.runtime.prompt_texts import cut
from plugin_sdk.rules.character_fields import PLAYER_TYPE
from plugin_sdk.rules.character_names import character_aliases
from plugin_sdk.rules.i18n import resolve_i18n_text
from plugin_sdk.values import JsonObject, JsonValue

_LABELS = ("name", "description")


class LazyVariables(Mapping[str, JsonValue]):
    """The roots of template variables; each is worked out when a body first names it."""

    def __init__(self, makers: Mapping[str, Callable[[], JsonValue]]) -> None:
        self._makers = makers
        self._made: dict[str, JsonValue] = {}

    def __getitem__(self, root: str) -> JsonValue:
        if root not in self._made:
            self._made[root] = self._makers[root]()
        return self._made[root]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def world_variables(view: WorldView, lorebook: Lorebook, locale: str) -> JsonObject:
    """`world.name`, `description`, `tags`, `lore`, `schema`, `entries` and `dimensions`.

    Names and descriptions of attributes and dimensions are in the language of `locale`.
    """
    record = view.world_record or {}
    shown = {key: record[key] for key in ("name", "description", "tags", "lore") if key in record}
    schema = view.current().schema
    return {
        **shown,
        "schema": None if schema is None else _schema(schema, locale),
        "entries": world_entries(lorebook),
        "dimensions": {
            dimension_id: _labelled(entry, locale)
            for dimension_id, entry in view.dimensions.items()
        },
    }


def world_entries(lorebook: Lorebook) -> Listed:
    """`world.entries`: what the world's enabled lorebook entries say, by ID.

    As a whole it is one line for each, bounded like the roster of characters.
    """
    found: dict[str, JsonValue] = {}
    lines: list[str] = []
    left = ROSTER_LIMIT
    for entry in lorebook.entries:
        if not entry.is_of_world:
            continue
        found[entry.entry_id] = {"content": entry.content, "keys": [*entry.keys]}
        line = f"- {entry.entry_id}: {cut(' '.join(entry.content.split()), PART_LIMIT)}"
        left -= len(line) + 1
        if left >= 0:
            lines.append(line)
    if len(found) > len(lines):
        lines.append(f"- … {len(found) - len(lines):,}")
    return Listed(found, text="\n".join(lines))


def character_variables(view: WorldView) -> JsonObject:
    """`characters.npcs`: one line for each who is no player."""
    return {"npcs": npc_roster([_roster(record) for record in view.current().records])}


def input_variables(bindings: Mapping[str, InputBinding]) -> JsonObject:
    """`inputs.<plugin>.<runtime>`: the bound values, by the runtime that each comes from."""
    found: dict[str, dict[str, JsonValue]] = {}
    for binding in bindings.values():
        for bound in binding.values:
            plugin_id, _, name = bound.source.partition("/")
            found.setdefault(plugin_id, {})[name or plugin_id] = bound.value
    return {**found}


def player_character(view: WorldView) -> JsonValue:
    """Whom the default seat plays; without a seat the only player, None where nobody is that."""
    players = [record for record in view.current().records if record.get("type") == PLAYER_TYPE]
    seated = {seat.character_id for seat in view.seats if seat.seat_id == DEFAULT_SEAT_ID}
    chosen = [record for record in players if record["id"] in seated] or players
    return chosen[0] if len(chosen) == 1 else None


def _roster(record: Mapping[str, Any]) -> RosterCharacter:
    fields = record.get("fields")
    return RosterCharacter(
        name=record["name"],
        type=record["type"],
        aliases=tuple(character_aliases(record)),
        description=str(record.get("description") or ""),
        fields=fields if isinstance(fields, dict) else {},
    )


def _schema(schema: Mapping[str, Any], locale: str) -> JsonObject:
    attributes = [_labelled(attribute, locale) for attribute in schema.get("attributes", ())]
    return {"types": schema.get("types", []), "attributes": [*attributes]}


def _labelled(entry: Mapping[str, Any], locale: str) -> JsonObject:
    labels = {key: resolve_i18n_text(entry[key], locale) for key in _LABELS if key in entry}
    return {**entry, **labels}
