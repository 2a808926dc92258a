"""`turn-policy@1` as a tool: names on the model's side, IDs on the provider's."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

from covel_host.services.directory import OfferedService
from covel_host.tools.turn_policy import ANNOTATIONS, MAX_ACTORS, turn_policy_tool
from plugin_sdk.context import ServiceContext
from plugin_sdk.errors import ToolError, ToolValidationError
from plugin_sdk.services import service

MARA = {"id": "npc-mara", "name": "Mara", "aliases": ["The Keeper"]}
ODD = {"id": "npc-odd", "name": "Odd"}
TWIN = {"id": "npc-odd-2", "name": "Odd"}


@service("turn-policy@1", name="policy", kind="read", offer_to_models=True)
async def policy(ctx: ServiceContext, payload: dict[str, Any]) -> dict[str, Any]:
    """Choose."""
    raise AssertionError("a context of the test answers")


class Services:
    def __init__(self, answer: Any) -> None:
        self._answer = answer
        self.given: list[Any] = []

    async def call(self, offer: Any, given: Any, *, timeout_ms: int) -> Any:
        self.given.append(given)
        return self._answer


def asked(answer: Any, *, characters: Any = (MARA, ODD), present: Any = ("the keeper",)) -> Any:
    tool = turn_policy_tool("plan", OfferedService("cast", policy), actions=[{"text": "Knock."}])
    services = Services(answer)
    context = SimpleNamespace(world=SimpleNamespace(characters=characters), services=services)
    text = json.dumps({"present": [*present], "recentSegments": [{"text": "Night."}]})
    result: Any = asyncio.run(tool.invoke(context, tool.parse(text)))  # type: ignore[arg-type]
    return result, services.given


def test_names_go_in_as_ids_and_come_back_as_names() -> None:
    result, [given] = asked({"actors": [{"character": "npc-odd", "why": "he is next"}]})
    assert result == {"actors": [{"character": "Odd"}]}
    assert given == {
        "present": ["npc-mara"],
        "recentSegments": [{"text": "Night."}],
        "actions": [{"text": "Knock."}],
        "limits": {"maxActors": MAX_ACTORS},
    }


def test_it_reads_and_is_neither_idempotent_nor_safe_beside_others() -> None:
    tool = turn_policy_tool("plan", OfferedService("cast", policy), actions=[])
    assert tool.annotations == ANNOTATIONS
    assert {*tool.input_schema["properties"]} == {"present", "recentSegments"}


@pytest.mark.parametrize("name", ["npc-mara", "Nobody"])
def test_an_id_is_no_name(name: str) -> None:
    with pytest.raises(ToolError) as caught:
        asked({"actors": []}, present=[name])
    assert caught.value.code == "not-found"


def test_a_name_of_two_is_ambiguous() -> None:
    with pytest.raises(ToolError) as caught:
        asked({"actors": []}, characters=(ODD, TWIN), present=["Odd"])
    assert caught.value.code == "ambiguous"


@pytest.mark.parametrize("answer", [None, {"actors": "Mara"}, {"actors": [{"character": "Gone"}]}])
def test_an_answer_of_another_form_is_the_providers_failure(answer: Any) -> None:
    with pytest.raises(ToolError) as caught:
        asked(answer)
    assert caught.value.code == "internal"


def test_what_the_model_gives_is_checked() -> None:
    tool = turn_policy_tool("plan", OfferedService("cast", policy), actions=[])
    with pytest.raises(ToolValidationError):
        tool.parse(json.dumps({"present": "Mara", "recentSegments": []}))
