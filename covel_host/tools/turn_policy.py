"""`turn-policy@1` as an agent's tool: who acts next (seed: 角色委托与策略导入).

The contract has rules of its own in place of those of other imports. The model names characters
and reads names; the provider gets and gives IDs, with what players have just done and how many may
act, which the host adds.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, JsonValue, TypeAdapter, ValidationError

from covel_host.services.directory import OfferedService
from covel_host.tools.builtin.tool_input import ToolInput
from covel_host.tools.service_tools import IMPORT_TIMEOUT_MS
from plugin_sdk.context import ToolContext
from plugin_sdk.errors import ToolError
from plugin_sdk.rules.character_names import Ambiguous, CharacterDirectory, Found
from plugin_sdk.tools import Tool, ToolAnnotations, tool

TURN_POLICY: Final = "turn-policy@1"
MAX_PRESENT: Final = 64
MAX_SEGMENTS: Final = 200
MAX_ACTORS: Final = 16
"""How many characters one execution may ask (spec/decisions.md 4)."""

ANNOTATIONS: Final = ToolAnnotations(
    read_only=True, stages_writes=False, idempotent=False, concurrency_safe=False
)

Character = Mapping[str, JsonValue]


class PolicyInput(ToolInput):
    """What the model says of the scene."""

    present: Annotated[
        list[str], Field(max_length=MAX_PRESENT, description="Names of the characters present.")
    ]
    recent_segments: Annotated[
        list[dict[str, JsonValue]],
        Field(max_length=MAX_SEGMENTS, description="The newest pieces of the story, in order."),
    ]


class _Actor(BaseModel):
    character: str


class _Plan(BaseModel):
    actors: list[_Actor]


_PLAN: Final = TypeAdapter(_Plan)


def turn_policy_tool(
    name: str, offered: OfferedService, *, actions: Sequence[Mapping[str, JsonValue]]
) -> Tool[..., Any]:
    """The import under its tool name; `actions` are what players have just done."""

    @tool(
        name=name,
        description=offered.service.description or "Say which characters act next, in order.",
        parameters=PolicyInput,
        read_only=True,
    )
    async def plan(asked: PolicyInput, context: ToolContext) -> object:
        """The characters that act, by name."""
        directory = CharacterDirectory([dict(one) for one in context.world.characters])
        given: JsonValue = {
            "present": [str(_named(name, directory)["id"]) for name in asked.present],
            "recentSegments": [*asked.recent_segments],
            "actions": [dict(action) for action in actions],
            "limits": {"maxActors": MAX_ACTORS},
        }
        answer = await context.services.call(offered.offer, given, timeout_ms=IMPORT_TIMEOUT_MS)
        return {"actors": [{"character": one} for one in _names(answer, directory)]}

    return plan


def _named(name: str, directory: CharacterDirectory) -> Character:
    found = directory.resolve(name)
    if isinstance(found, Found) and found.matched_by != "id":
        return found.character
    if isinstance(found, Ambiguous):
        raise ToolError("ambiguous", f"Several characters are called {name!r}.")
    raise ToolError("not-found", f"No character is called {name!r}.")


def _names(answer: JsonValue, directory: CharacterDirectory) -> list[str]:
    """The names of those that the provider chose, at most `MAX_ACTORS` of them."""
    try:
        plan = _PLAN.validate_python(answer)
    except ValidationError:
        raise ToolError("internal", "The turn policy gave no list of actors.") from None
    names = []
    for actor in plan.actors[:MAX_ACTORS]:
        found = directory.resolve(actor.character)
        if not isinstance(found, Found):
            raise ToolError("internal", "The turn policy chose a character that there is not.")
        names.append(str(found.character.get("name", "")))
    return names
