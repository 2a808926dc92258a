"""Shows the narrator who is there, anew in every turn."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from plugin_sdk import ExtensionContext, extension, hookimpl
from plugin_sdk.extension_points import PromptQuery, PromptSegment

PROFILES_LIMIT = 12_000
"""Characters of all profiles together; who does not fit is listed by name alone."""

_SHOWN = ("name", "type", "aliases", "description", "fields")


@extension("prompt.segment@1", id="character-sheets")
async def character_sheets(ctx: ExtensionContext, query: PromptQuery) -> list[PromptSegment]:
    """The sheet of the player's character and the profiles of everybody else."""
    sheets = written_sheets(ctx.world.characters)
    if not sheets:
        return []
    # Sheets change with the story: behind the history they leave the cached part as it is.
    return [
        PromptSegment(
            id="character-sheets",
            content=sheets,
            position="system",
            audience="self",
            volatility="turn",
        )
    ]


def written_sheets(characters: Sequence[Mapping[str, Any]]) -> str:
    """Blocks of one JSON object per line; no text of a character can close them."""
    blocks = []
    players = [_sheet(one) for one in characters if one["type"] == "player"]
    if players:
        blocks.append(_block("player-character", players))
    others = [one for one in characters if one["type"] != "player"]
    if others:
        blocks.append(_block("character-profiles", _bounded(others)))
    return "\n\n".join(blocks)


def _bounded(characters: Sequence[Mapping[str, Any]]) -> list[str]:
    lines: list[str] = []
    names: list[str] = []
    left = PROFILES_LIMIT
    for one in characters:
        line = "" if names else _sheet(one)
        left -= len(line) + 1
        if left < 0 or names:
            names.append(one["name"])
        else:
            lines.append(line)
    if names:
        lines.append(_json({"furtherNames": names}))
    return lines


def _sheet(character: Mapping[str, Any]) -> str:
    return _json({name: character[name] for name in _SHOWN if character.get(name)})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _block(tag: str, lines: list[str]) -> str:
    return "\n".join((f"<{tag}>", *lines, f"</{tag}>"))


@hookimpl
def register_extensions() -> list[object]:
    return [character_sheets]
