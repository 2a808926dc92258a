"""`covel replay` and `--record`."""

import json
from pathlib import Path

import pytest

from tests.cli.support import Covel
from tests.support.casts import cast, function, story
from tests.support.packages import write_package

TOOL = """
@tool(name="roll", stages_writes=True)
async def roll(ctx: ToolContext, sides: int = 6) -> object:
    '''Roll a die.'''
    rolled = {expression}
    note = PluginData(namespace="rolls", key="last", value=rolled)
    return with_pending_proposals({{"rolled": rolled}}, [note])
"""
REPLIES = """
- calls: [{name: roll, arguments: {sides: 20}}]
- text: You rolled the die.
"""
GOLDEN = Path(__file__).parent.parent / "golden" / "replay" / "changed-tool.txt"


@pytest.fixture(autouse=True)
def _trusted(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("COVEL_TRUST", "tale,dice")
    monkeypatch.setenv("COVEL_RANDOM_SEED", "7")


def dice(home: Path, expression: str) -> None:
    write_package(
        home / "plugins" / "dice",
        code=TOOL.format(expression=expression),
        tools=["roll"],
        datasets={"rolls": {"schema": "./any.json"}},
        files={"any.json": "{}"},
    )


def recorded_run(covel: Covel, home: Path) -> tuple[str, str]:
    """The session and turn of a run in which 20 sides were rolled."""
    dice(home, "ctx.random.randint(1, sides)")
    script = home / "replies.yaml"
    script.write_text(REPLIES)
    ran = covel("run", "dice", "--record", "--model", f"scripted:{script}", "--json")
    assert ran.code == 0, ran.err
    return ran.json["sessionId"], ran.json["turnId"]


def test_an_unchanged_run_is_the_same(covel: Covel, home: Path) -> None:
    session_id, turn_id = recorded_run(covel, home)
    before = covel("sessions", "show", session_id, "--json").out
    again = covel("replay", session_id, turn_id)
    assert again.code == 0
    assert again.out == f"{turn_id}, from revision 0\n  The same came of it as then.\n"
    assert covel("sessions", "show", session_id, "--json").out == before
    document = covel("replay", session_id, turn_id, "--json")
    assert document.code == 0
    assert document.json["same"] is True
    assert document.json["executions"][0]["differences"] == []


def test_a_replay_finds_a_changed_tool(covel: Covel, home: Path) -> None:
    session_id, turn_id = recorded_run(covel, home)
    dice(home, "sides * 1000")
    again = covel("replay", session_id, turn_id)
    assert again.code == 1
    assert again.out.replace(turn_id, "TURN") == GOLDEN.read_text(encoding="utf-8")
    [execution] = covel("replay", session_id, turn_id, "--json").json["executions"]
    assert execution["packages"] == [
        {"pluginId": "dice", "change": "changed", "versionThen": "0.0.0", "versionNow": "0.0.0"}
    ]
    paths = [(one["about"], one["path"]) for one in execution["differences"]]
    assert paths == [
        ("model-call", "/messages/4/text"),
        ("tool-call", "/result/rolled"),
        ("proposal", "/payload/value"),
    ]
    # The packages of then give the same again.
    dice(home, "ctx.random.randint(1, sides)")
    assert covel("replay", session_id, turn_id).code == 0


def test_a_turn_is_recorded_listed_and_let_go(covel: Covel, home: Path) -> None:
    cast(
        home,
        "tale",
        {
            "init": function("return success()", schedule={"stage": "setup"}),
            "told": story(),
        },
    )
    made = covel("sessions", "new", "--with", "tale", "--json")
    session_id = json.loads(made.out)["sessionId"]
    assert "has no recordings" in covel("replay", session_id).out
    assert covel("turn", session_id, "--start", "--record", "--model", "offline").code == 0
    listed = covel("replay", session_id, "--json").json["recordings"]
    assert [(one["state"], one["revision"]) for one in listed] == [("complete", 0), ("complete", 1)]
    first = listed[0]["turnId"]
    assert first in covel("replay", session_id).out
    snapshots = covel("sessions", "snapshots", session_id, "--json").json["snapshots"]
    pins = {one["snapshotId"] for one in snapshots if one["kind"] == "recording"}
    assert pins == {one["snapshotId"] for one in listed}
    again = covel("replay", session_id, first)
    assert again.code == 0, again.out
    assert again.out.count("The same came of it as then.") == 2
    gone = covel("replay", session_id, first, "--forget")
    assert gone.code == 0
    assert listed[0]["snapshotId"] in gone.out
    refused = covel("replay", session_id, first)
    assert refused.code == 1
    assert "was not recorded" in refused.err
    assert len(covel("replay", session_id, "--json").json["recordings"]) == 1


def test_last_is_the_newest_recording_of_the_newest_session(covel: Covel, home: Path) -> None:
    session_id, turn_id = recorded_run(covel, home)
    for session in (session_id, "last"):
        again = covel("replay", session, "last", "--json").json
        assert (again["sessionId"], again["turnId"], again["same"]) == (session_id, turn_id, True)
    assert turn_id in covel("replay", "last").out
    assert covel("replay", "last", "last", "--forget").code == 0
    none = covel("replay", session_id, "last", "--json")
    assert (none.code, none.json["error"]["code"]) == (1, "turn-not-recorded")


def test_what_is_not_there_is_said(covel: Covel, home: Path) -> None:
    session_id, _ = recorded_run(covel, home)
    unknown = covel("replay", session_id, "turn-nowhere")
    assert (unknown.code, unknown.out) == (1, "")
    assert "has no turn 'turn-nowhere'" in unknown.err
    assert covel("replay", session_id, "--forget").code == 2
    assert covel("replay", "session-nowhere").code == 1
