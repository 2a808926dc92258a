"""The character that a sub-agent plays: who it is, and what it knows (seed: 角色委托与策略导入)."""

from collections.abc import Mapping
from typing import Final

from covel_host.models.messages import AssistantMessage, UserMessage
from covel_host.runtime.lived_history import lived_history
from covel_host.runtime.nested import SubagentTask
from covel_host.runtime.prompt_inputs import HistoryRow
from covel_host.runtime.run import RuntimeRun
from covel_host.tools.subagents import Delegation
from plugin_sdk.errors import ToolError
from plugin_sdk.records import TurnMessage
from plugin_sdk.rules.character_names import (
    Ambiguous,
    Found,
    character_label,
    character_name_key,
)
from plugin_sdk.rules.model_facing import model_facing_json
from plugin_sdk.values import JsonObject, JsonValue

ACTOR_MESSAGES: Final = 60
"""How many messages of what it has witnessed a character is given, the newest ones."""


async def character_task(asked: Delegation, run: RuntimeRun) -> SubagentTask:
    """The task of the actor: its sheet and instruction as facts, what it witnessed as history.

    Raises:
        ToolError: `not-found` or `ambiguous`, the name is not one character's.
    """
    assert asked.character is not None
    character = _resolved(asked.character, run)
    character_id = str(character["id"])
    facts: JsonObject = {"character": model_facing_json(dict(character))}
    if asked.instruction is not None:
        facts["instruction"] = asked.instruction
    messages = await lived_history(run, character_id, limit=ACTOR_MESSAGES)
    return SubagentTask(
        brief=asked.brief,
        facts=facts,
        history=tuple(_row(message) for message in messages),
        max_steps=asked.max_steps,
        character_id=character_id,
    )


def _resolved(name: str, run: RuntimeRun) -> Mapping[str, JsonValue]:
    view = run.staging.world
    if view is None:
        raise ToolError("unavailable", "This run has no world, and so no characters.")
    found = view.directory().resolve(name)
    if isinstance(found, Found) and found.matched_by != "id":
        view.read_character(str(found.character["id"]))
        return found.character
    view.read_character(None)
    if isinstance(found, Found) and _is_named(found.character, name):
        return found.character
    if isinstance(found, Ambiguous):
        raise ToolError("ambiguous", f"Several characters are called {name!r}.")
    closest = () if isinstance(found, Found) else found.closest
    labels = ", ".join(character_label(character) for character in closest)
    raise ToolError(
        "not-found",
        f"No character is called {name!r}.",
        hint=f"Similar: {labels}." if labels else "Give a character's name or one of its aliases.",
    )


def _is_named(character: Mapping[str, JsonValue], name: str) -> bool:
    """Whether what was matched as an ID is that character's name, too."""
    key = character_name_key(name)
    return bool(key) and key == character_name_key(str(character.get("name", "")))


def _row(message: TurnMessage) -> HistoryRow:
    said = UserMessage if message.role == "user" else AssistantMessage
    return HistoryRow(message.turn_id, said(message.content))
