"""Sub-agents and recursive calls of whole packages, through the host to the stored turn."""

import asyncio
import json
from pathlib import Path
from typing import Any

import yaml

from covel_host.turn.admission import ManualRequest
from tests.support.hosts import Played, opened, played_on
from tests.support.replies import Reply, call, calls, done, say

CONTRACT = {"type": "object"}
MANUAL = {"schedule": {"trigger": {"type": "manual"}}}

STORE = """
from plugin_sdk import *

@service("tally.write@1", kind="write", offer_to_models=True)
async def tally(ctx: ServiceContext, payload: dict[str, int]) -> dict[str, int]:
    '''Write the tally down.'''
    await ctx.plugin_data.set("notes", "tally", payload["n"])
    return payload

@hookimpl
def register_services():
    return [tally]
"""

POLICY = """
from plugin_sdk import *

@service("turn-policy@1", kind="read", offer_to_models=True)
async def policy(ctx: ServiceContext, scene: dict[str, JsonValue]) -> dict[str, JsonValue]:
    '''Who acts next.'''
    assert scene["actions"] == [{"text": "Hello?"}]
    return {"actors": [{"character": who} for who in scene["present"]]}

@hookimpl
def register_services():
    return [policy]
"""

HANDLER = """
async def handle(ctx):
    if ctx.manual_payload and ctx.manual_payload.get("mode") == "agents":
        return await ctx.agents.run(contract="scout@1", brief="Count the boats.")
    await ctx.plugin_data.set("notes", "outer", 1)
    value = await ctx.recursive_call("caller/inner", payload={"n": 4})
    return {"inner": value}
"""

INNER = """
async def handle(ctx):
    await ctx.plugin_data.set("notes", "inner", ctx.manual_payload["n"])
    return {"doubled": ctx.manual_payload["n"] * 2}
"""


def write(folder: Path, manifest: dict[str, Any], files: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    head = yaml.safe_dump({"description": "A package of a test.", **manifest}, sort_keys=False)
    for name, text in {"PLUGIN.md": f"---\n{head}---\n", **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def runtime(described: dict[str, Any]) -> str:
    return f"---\n{yaml.safe_dump({**MANUAL, **described}, sort_keys=False)}---\nDo it.\n"


def packages(home: Path, *, caller: dict[str, Any] | None = None) -> None:
    plugins = home / "plugins"
    schemas = {"schemas/out.json": json.dumps(CONTRACT)}
    write(
        plugins / "scouts",
        {
            "provides": ["scout@1"],
            "optional": ["tally.write@1"],
            "contracts": {"scout@1": {"schema": "./schemas/out.json"}},
        },
        {
            **schemas,
            "runtimes/scout/RUNTIME.md": runtime(
                {
                    "io": {"output": {"contract": "scout@1", "schema": "../../schemas/out.json"}},
                    "agent": {"tools": {"services": ["tally.write@1"]}},
                }
            ),
        },
    )
    write(
        plugins / "tallies",
        {"provides": ["tally.write@1"], "contributes": {"services": ["tally.write@1"]}},
        {"server/index.py": STORE},
    )
    function = {"type": "function", "function": {"handler": "./handler.py"}}
    write(
        plugins / "caller",
        {"optional": ["scout@1"]},
        {
            "runtimes/teller/RUNTIME.md": runtime(
                caller or {"agent": {"tools": {"builtin": ["delegate"]}}}
            ),
            "runtimes/outer/RUNTIME.md": runtime(function),
            "runtimes/outer/handler.py": HANDLER,
            "runtimes/inner/RUNTIME.md": runtime(function),
            "runtimes/inner/handler.py": INNER,
        },
    )


def cast(home: Path) -> None:
    """An actor, a policy, and a teller that uses both."""
    packages(
        home,
        caller={
            "agent": {
                "tools": {
                    "builtin": ["sync-characters", "delegate"],
                    "services": ["turn-policy@1"],
                }
            }
        },
    )
    plugins = home / "plugins"
    manifest = plugins / "caller" / "PLUGIN.md"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(
        text.replace("- scout@1", "- scout@1\n- character-actor@1\n- turn-policy@1")
    )
    output = {"contract": "character-actor@1", "schema": "../../schemas/out.json"}
    write(
        plugins / "cast",
        {
            "provides": ["character-actor@1", "turn-policy@1"],
            "contracts": {"character-actor@1": {"schema": "./schemas/out.json"}},
            "contributes": {"services": ["turn-policy@1"]},
        },
        {
            "schemas/out.json": json.dumps(CONTRACT),
            "runtimes/actor/RUNTIME.md": runtime({"agent": {}, "io": {"output": output}}),
            "server/index.py": POLICY,
        },
    )


def play(home: Path, target: str, *replies: Reply, **request: Any) -> Played:
    async def main() -> Played:
        wanted = ManualRequest(target=target, packages=("caller", "scouts", "tallies"), **request)
        async with opened(home, *replies) as host:
            return await played_on(host, wanted)

    return asyncio.run(main())


ASK = calls(call("delegate", {"target": {"contract": "scout@1"}, "brief": "Count the boats."}))
COUNTED = say(json.dumps({"boats": 3}))


def results(played: Played) -> list[Any]:
    assert played.rows.turn is not None
    assert isinstance(played.rows.turn.results, list)
    return played.rows.turn.results


def test_a_sub_agent_of_another_package_answers_and_its_turn_holds_both(tmp_path: Path) -> None:
    packages(tmp_path)
    played = play(tmp_path, "caller/teller", ASK, COUNTED, done())
    assert played.report.committed, played.report.failure
    assert json.loads(played.envelopes[0]) == {"data": {"boats": 3}}
    kept = {result["runtimeId"]: result.get("origin") for result in results(played)}
    assert kept["scouts/scout"] == "subagent"
    types = [event.type for event in played.rows.trace]
    assert "subagent.completed" in types
    assert "runtime.started" not in [
        event.type for event in played.observer.events if "scout" in str(event.payload)
    ]


def test_what_a_sub_agent_wrote_through_a_service_is_the_callers_and_is_told(
    tmp_path: Path,
) -> None:
    packages(tmp_path)
    write_tally = calls(call("tally-write", {"n": 3}))
    played = play(tmp_path, "caller/teller", ASK, write_tally, COUNTED, done())
    assert played.report.committed, played.report.failure
    envelope = json.loads(played.envelopes[0])
    assert envelope["staged"]["count"] == 1
    assert envelope["staged"]["kinds"] == ["plugin.data"]
    assert [one.plugin_id for one in played.report.result.proposals] == ["tallies"]


def test_what_a_failed_sub_agent_wrote_is_withdrawn(tmp_path: Path) -> None:
    packages(tmp_path)
    write_tally = calls(call("tally-write", {"n": 3}))
    wrong = say("no JSON")
    played = play(tmp_path, "caller/teller", ASK, write_tally, wrong, wrong, wrong, done())
    assert json.loads(played.envelopes[0])["error"]["code"] == "internal"
    assert played.report.committed
    assert played.report.result.proposals == ()


def test_code_gets_the_raw_output_of_a_sub_agent(tmp_path: Path) -> None:
    packages(tmp_path)
    played = play(tmp_path, "caller/outer", COUNTED, payload={"mode": "agents"})
    assert played.report.result.value == {"boats": 3}


def test_a_recursive_call_is_committed_with_its_caller(tmp_path: Path) -> None:
    packages(tmp_path)
    played = play(tmp_path, "caller/outer")
    assert played.report.committed, played.report.failure
    assert played.report.result.value == {"inner": {"doubled": 8}}
    assert played.rows.data == {("notes", "inner"): 4, ("notes", "outer"): 1}
    kept = {result["runtimeId"]: result.get("origin") for result in results(played)}
    assert kept == {"caller/outer": None, "caller/inner": "recursive"}


LINES = {"segments": [{"kind": "dialogue", "text": "Who is there?"}], "intent": "to flee"}
NEW = call("sync-characters", {"creates": [{"name": "Mara", "type": "npc"}]})
SCENE = call("turn-policy", {"present": ["Mara"], "recentSegments": []})
TO_MARA = call(
    "delegate",
    {"target": {"contract": "character-actor@1"}, "character": "Mara", "brief": "Answer."},
)


def test_an_actor_is_chosen_by_a_policy_and_remembers_the_turns_it_was_asked_in(
    tmp_path: Path,
) -> None:
    cast(tmp_path)
    acted = say(json.dumps(LINES))

    async def main() -> tuple[Played, Played]:
        replies = [calls(NEW), calls(SCENE), calls(TO_MARA), acted, done()]
        again = [calls(TO_MARA), acted, done()]
        async with opened(tmp_path, *replies, *again) as host:
            packs = ("caller", "scouts", "tallies", "cast")
            first = ManualRequest(target="caller/teller", packages=packs, message="Hello?")
            played = await played_on(host, first)
            session_id = played.report.session_id
            then = ManualRequest(target="caller/teller", session_id=session_id, message="Well?")
            return played, await played_on(host, then)

    first, second = asyncio.run(main())
    assert first.report.committed, first.report.failure
    assert json.loads(first.envelopes[1]) == {"data": {"actors": [{"character": "Mara"}]}}
    assert json.loads(first.envelopes[2]) == {"data": LINES}
    [kept] = [one for one in first.rows.tool_calls if one.tool_name == "delegate"]
    assert kept.result == {"segments": LINES["segments"]}
    assert "to flee" not in json.dumps(results(first))
    assert "to flee" not in str([event.data for event in first.rows.trace])
    [played] = [one for one in results(first) if one.get("characterId")]
    assert played["origin"] == "subagent"
    told = str(second.requests[-2].messages)
    assert "Hello?" in told
    assert "Well?" not in told
