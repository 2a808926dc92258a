"""Characters and dimensions over several executions of one session, through the real tools."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from covel_host.store.character_schemas import get_character_schema
from covel_host.store.characters import every_character
from covel_host.store.options import StoreOptions
from covel_host.store.seats import every_seat
from covel_host.store.store import Store
from tests.support.hosts import Played, play
from tests.support.packages import write_package
from tests.support.replies import call, calls, done

TOOLS = (
    "sync-characters",
    "list-characters",
    "get-character",
    "world-dimension-get",
    "world-dimension-list",
)
LISTED = """\
Characters in session (2 total, sorted by frequency then recency):
1. Tobin [smith] smith-tobin (v2)
2. Mara [npc] npc-mara (v1)"""
MAKER = """
from plugin_sdk.outcomes import Effects, success
from plugin_sdk.proposals import CharacterSchemaSet, DimensionInitialize

TIDE = {
    "name": {"en": "Tide", "zh": "潮汐"},
    "schema": {"type": "object", "properties": {"height": {"type": "integer"},
               "log": {"type": "string", "x-i18n": True}}},
    "initialValue": {"height": 2, "log": {"en": "low", "zh": "低"}},
}
HP = {"id": "hp", "name": "HP", "type": "number", "category": "stats", "min": 0, "max": 9,
      "defaultValue": 5}

async def handle(ctx):
    schema = CharacterSchemaSet(types=["npc", "smith"], attributes=[HP])
    dimensions = DimensionInitialize(definitions={"tide": TIDE})
    return success(effects=Effects(proposals=[schema, dimensions]))
"""
CALLER = """
from plugin_sdk.outcomes import success

async def handle(ctx):
    made = await ctx.tools.call("sync-characters", {"creates": [
        {"name": "Ada", "type": "player"}, {"name": "Tobin", "type": "smith"}]})
    seen = [record["id"] for record in ctx.world.characters]
    read = await ctx.tools.call("world-dimension-get", {"queries": [{"dimension": "tide"}]})
    return success(value={"made": made, "seen": seen, "tide": read["results"][0]["value"]})
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """`maker` provides the dimensions; `cast` is an agent and `caller` a function of others."""
    maker: dict[str, Any] = {
        "description": "Makes the world.",
        "provides": ["world.dimensions@1"],
        "runtime": {
            "schedule": {"trigger": {"type": "manual"}},
            "function": {"handler": "./server/handler.py"},
        },
    }
    folder = tmp_path / "plugins" / "maker"
    (folder / "server").mkdir(parents=True)
    (folder / "PLUGIN.md").write_text(f"---\n{yaml.safe_dump(maker)}---\nNotes.\n")
    (folder / "server" / "handler.py").write_text(MAKER, encoding="utf-8")
    write_package(tmp_path / "plugins" / "cast", agent={"tools": {"builtin": list(TOOLS)}})
    write_package(
        tmp_path / "plugins" / "caller",
        function={
            "handler": "./server/handler.py",
            "tools": {"builtin": ["sync-characters", "world-dimension-get"]},
        },
        files={"server/handler.py": CALLER},
    )
    return tmp_path


def made_world(home: Path, locale: str = "en") -> str:
    """A session of all three packages after the maker's run; its ID."""
    others = ("cast", "caller")
    played = play(home, "maker", packages=others, environ={"COVEL_LOCALE": locale})
    assert played.report.committed, played.report.failure
    return played.report.session_id


def stored(home: Path, session_id: str) -> tuple[dict[str, Any], Any, list[Any]]:
    """The session's characters by ID, its schema, and its seats with whom they play."""
    store = Store.open(StoreOptions(path=home / "covel.db"))
    try:
        return store.read_now(
            lambda reading: (
                {str(record["id"]): record for record in every_character(reading, session_id)},
                get_character_schema(reading, session_id),
                [(seat.seat_id, seat.character_id) for seat in every_seat(reading, session_id)],
            )
        )
    finally:
        store.close()


def summaries(played: Played) -> list[str]:
    return [json.loads(text).get("summary", text) for text in played.envelopes]


def test_an_agent_is_told_the_sessions_types_and_fields_and_its_batches_are_committed(
    home: Path,
) -> None:
    session_id = made_world(home)
    creates = [{"name": "Tobin", "type": "smith"}, {"name": "Mara", "type": "npc"}]
    played = play(
        home,
        "cast",
        calls(call("sync-characters", {"creates": creates})),
        calls(
            call("sync-characters", {"updates": [{"id": "tobin", "fields": {"hp": 3}}]}),
            call("list-characters"),
        ),
        done(),
        session_id=session_id,
    )
    assert played.report.committed, played.report.failure
    [sync] = [tool for tool in played.requests[0].tools if tool.name == "sync-characters"]
    assert sync.description.endswith("- hp: a number from 0 to 9")
    create = sync.input_schema["properties"]["creates"]["items"]  # type: ignore[index,call-overload]
    assert create["properties"]["type"]["enum"] == ["player", "npc", "smith"]
    assert summaries(played)[:3] == [
        'Created smith "Tobin" as smith-tobin.\nCreated npc "Mara" as npc-mara.',
        'Updated smith "Tobin" (smith-tobin) → v2.\n  hp: 5 → 3',
        LISTED,
    ]
    characters, schema, seats = stored(home, session_id)
    assert (characters["smith-tobin"]["version"], characters["smith-tobin"]["fields"]) == (
        2,
        {"hp": 3},
    )
    assert (schema["version"], seats) == (1, [])
    told = [event.type for event in played.observer.events]
    assert told.count("character.upserted") == 3


def test_every_package_reads_the_dimensions_of_the_provider(home: Path) -> None:
    session_id = made_world(home)
    queries = [{"dimension": "tide"}, {"dimension": "tide", "path": "height"}]
    played = play(
        home,
        "cast",
        calls(call("world-dimension-list"), call("world-dimension-get", {"queries": queries})),
        done(),
        session_id=session_id,
    )
    listed, got = played.envelopes[:2]
    assert json.loads(listed)["data"]["dimensions"] == [
        {"id": "tide", "name": "Tide", "type": "object", "version": 1}
    ]
    assert json.loads(got) == {
        "summary": 'tide (v1) = {"height": 2, "log": "low"}\ntide.height (v1) = 2'
    }


def test_a_chinese_session_adopts_the_same_dimensions_in_its_own_language(home: Path) -> None:
    session_id = made_world(home, "zh-CN")
    asked = call("world-dimension-get", {"queries": [{"dimension": "tide", "path": "log"}]})
    played = play(
        home, "cast", calls(call("world-dimension-list"), asked), done(), session_id=session_id
    )
    listed, got = played.envelopes[:2]
    assert json.loads(listed)["data"]["dimensions"][0]["name"] == "潮汐"
    assert json.loads(got)["summary"] == 'tide.log (v1) = "低"'


def test_a_function_calls_the_same_tools_and_a_new_player_takes_the_default_seat(
    home: Path,
) -> None:
    session_id = made_world(home)
    played = play(home, "caller", session_id=session_id)
    assert played.report.committed, played.report.failure
    value = played.report.result.value
    assert value == {
        "made": {
            "created": [
                {"characterId": "player-ada", "name": "Ada", "type": "player"},
                {"characterId": "smith-tobin", "name": "Tobin", "type": "smith"},
            ],
            "updated": [],
            "unchanged": [],
        },
        "seen": ["player-ada", "smith-tobin"],
        "tide": {"height": 2, "log": "low"},
    }
    characters, _schema, seats = stored(home, session_id)
    assert characters["player-ada"]["fields"] == {"hp": 5}
    assert seats == [("seat-1", "player-ada")]


def test_the_seat_plays_the_newest_player_and_an_update_leaves_it(home: Path) -> None:
    session_id = made_world(home)
    play(home, "caller", session_id=session_id)
    second = calls(
        call("sync-characters", {"creates": [{"name": "Bo", "type": "player"}]}),
        call("sync-characters", {"updates": [{"id": "Ada", "fields": {"hp": 1}}]}),
    )
    played = play(home, "cast", second, done(), session_id=session_id)
    assert played.report.committed, played.report.failure
    characters, _schema, seats = stored(home, session_id)
    assert [one["type"] for one in characters.values()].count("player") == 2
    assert seats == [("seat-1", "player-bo")]


def test_a_run_that_fails_leaves_nothing_of_its_batches(home: Path) -> None:
    session_id = made_world(home)
    batch = calls(call("sync-characters", {"creates": [{"name": "Ada", "type": "player"}]}))
    endless = [batch, *[calls(call("list-characters"))] * 30]
    played = play(home, "cast", *endless, session_id=session_id)
    assert not played.report.committed
    assert stored(home, session_id)[0] == {}
