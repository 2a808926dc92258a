"""The template variables of the world: `world`, `characters`, and the player's character.

Spec/execution.md 5.2 (other facts). What a prompt shows is no read of the run's read set.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from covel_host.proposals.seats import DEFAULT_SEAT_ID
from covel_host.proposals.world_view import WorldView
from covel_host.runtime.prompt_roster import RosterCharacter, npc_roster
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


def world_variables(view: WorldView, locale: str) -> JsonObject:
    """`world.name`, `description`, `tags`, `lore`, `schema` and `dimensions`.

    Names and descriptions of attributes and dimensions are in the language of `locale`.
    """
    record = view.world_record or {}
    shown = {key: record[key] for key in ("name", "description", "tags", "lore") if key in record}
    schema = view.current().schema
    return {
        **shown,
        "schema": None if schema is None else _schema(schema, locale),
        "dimensions": {
            dimension_id: _labelled(entry, locale)
            for dimension_id, entry in view.dimensions.items()
        },
    }


def character_variables(view: WorldView) -> JsonObject:
    """`characters.npcs`: one line for each who is no player."""
    return {"npcs": npc_roster([_roster(record) for record in view.current().records])}


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
