"""Several packages that tell a story in one turn: who is told of it, and what ends it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import Covel
from tests.support.casts import cast, story

BUNDLED = Path(__file__).parents[2] / "builtin_plugins"
BESIDE = "warning: 2 packages tell a story in the same turn: "
ENGINE = {"visibility": "story", "output": {"contract": "narrative-engine@1"}}


@pytest.fixture(autouse=True)
def _bundled(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("COVEL_PLUGINS_DIR", str(BUNDLED))
    monkeypatch.setenv("COVEL_TRUST", "tale,other")


def begun(covel: Covel, *packages: str) -> tuple[str, str]:
    """The ID of a new session, and what was said while it was made."""
    named = [argument for name in packages for argument in ("--with", name)]
    made = covel("sessions", "new", *named, "--json")
    assert made.code == 0, made.err
    return str(json.loads(made.out)["sessionId"]), made.err


def stories(covel: Covel, session_id: str) -> Any:
    return covel("plan", session_id, "--json").json["storyRuntimes"]


def test_a_story_beside_the_narrators_is_told_by_every_command(covel: Covel, home: Path) -> None:
    cast(home, "tale", {"told": story()})
    session_id, said = begun(covel, "tale")
    played = covel("turn", session_id, "I wait.")
    for text in (said, covel("plan", session_id).out, played.err):
        [line] = [line for line in text.splitlines() if line.startswith(BESIDE)]
        assert "'narrator'" in line
        assert "'tale/told'" in line
        assert "`provides: [narrative-engine@1]`" in line
        assert "`io.output.contract: narrative-engine@1`" in line
    assert sorted(stories(covel, session_id)) == ["narrator", "tale/told"]


def test_a_package_that_does_as_the_warning_says_takes_the_place(covel: Covel, home: Path) -> None:
    cast(home, "tale", {"told": story(io=ENGINE)}, provides=["narrative-engine@1"])
    session_id, said = begun(covel, "tale")
    assert BESIDE not in said
    assert stories(covel, session_id) == ["tale/told"]
    assert BESIDE not in covel("turn", session_id, "I wait.").err


def test_stories_of_one_package_are_its_own_affair(
    covel: Covel, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COVEL_PLUGINS_DIR", str(tmp_path / "bundled"))
    cast(home, "tale", {"a": story(), "b": story()})
    cast(home, "other", {"c": story()})
    assert BESIDE not in begun(covel, "tale")[1]
    session_id, said = begun(covel, "tale", "other")
    assert "'other/c', 'tale/a', 'tale/b'. To play with one of them" in said
    assert len(stories(covel, session_id)) == 3


def test_a_story_that_is_started_by_hand_stands_beside_none(covel: Covel, home: Path) -> None:
    cast(home, "tale", {"told": story(schedule={"trigger": {"type": "manual"}})})
    session_id, said = begun(covel, "tale")
    assert BESIDE not in said
    assert stories(covel, session_id) == ["narrator"]


def test_the_narrator_is_added_where_the_storyteller_was_taken_out(
    covel: Covel, home: Path
) -> None:
    cast(home, "tale", {"told": story(io=ENGINE)}, provides=["narrative-engine@1"])
    session_id, _ = begun(covel, "tale")
    assert covel("sessions", "plugins", session_id, "remove", "tale").code == 0
    assert covel("sessions", "plugins", session_id, "add", "narrator").code == 0
    assert stories(covel, session_id) == ["narrator"]
