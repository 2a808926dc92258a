"""The demo's scripts: the model is asked for the replies in the order in which they are written."""

import json
import runpy
from pathlib import Path

import pytest
import yaml

from covel_host.cli.app import run
from tests.support.stories import PACKAGES, PLUGINS, ROOT, story_turns


def test_the_commands_of_the_demo_play_the_turn_with_everything_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COVEL_HOME", str(tmp_path))
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    scripted = runpy.run_path(str(ROOT / "scripts" / "play_story.py"))["scripted"]
    plugins = ["--plugins-dir", str(PLUGINS)]
    named = [part for name in PACKAGES for part in ("--with", name)]
    assert run(["sessions", "new", *named, *plugins, "--json"]) == 0
    begun = json.loads(capsys.readouterr().out)
    assert begun["activePackages"] == [*PACKAGES, "history-compaction", "narrator"]
    turn = story_turns()[2]
    script = tmp_path / "replies.yaml"
    script.write_text(yaml.safe_dump(scripted(turn), allow_unicode=True), encoding="utf-8")
    trusted = [part for name in PACKAGES for part in ("--trust", name)]
    model = ["--model", f"scripted:{script}"]
    assert run(["turn", begun["sessionId"], turn["say"], *model, *trusted, *plugins, "--json"]) == 0
    [played] = json.loads(capsys.readouterr().out)["executions"]
    statuses = {one["runtimeId"]: one["status"] for one in played["results"]}
    assert set(statuses.values()) == {"success"}
    assert {"harbour/watch", "seer", "chronicle/people"} < set(statuses)
