"""`covel sessions` and `covel plugins`: a session changed between turns."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import STORY, Called, Covel, write_package

TUNED = """\
---
description: Tells one line in a mood.
contributes:
  settings:
    - { key: mood, type: select, label: Mood, default: calm,
        options: [{ value: calm, label: Calm }, { value: wild, label: Wild }] }
    - { key: length, type: integer, label: Length, default: 3, min: 1, max: 9 }
    - { key: loud, type: toggle, label: Loud }
    - { key: title, type: text, label: Title }
    - { key: model, type: slot, label: Model }
runtime:
  schedule:
    trigger: { type: manual }
  io: { visibility: story }
---
Mood {{ userSettings.mood }}, length {{ userSettings.length }}, loud {{ userSettings.loud }}.
"""

NEEDY = """\
---
description: Needs a keeper.
requires: [keeping@1]
runtime:
  schedule:
    trigger: { type: manual }
  io: { visibility: story }
---
Tell one line.
"""

KEEPER = """\
---
description: Keeps.
provides: [keeping@1]
---
"""

STARTER = """\
---
description: Sets things up.
runtime:
  schedule:
    stage: setup
    trigger: { type: auto }
---
Set it up.
"""


@pytest.fixture
def packages(plugins: Path) -> Path:
    """Packages that go together in several ways."""
    for name, manifest in (
        ("teller", STORY),
        ("tuned", TUNED),
        ("needy", NEEDY),
        ("keeper", KEEPER),
        ("starter", STARTER),
    ):
        write_package(plugins, name, manifest)
    return plugins


@pytest.fixture
def session_id(covel: Covel, packages: Path) -> str:
    """A new session with the package `teller`."""
    made: str = covel("sessions", "new", "--with", "teller", "--json").json["sessionId"]
    return made


def record(covel: Covel, session_id: str) -> dict[str, Any]:
    found: dict[str, Any] = covel("sessions", "show", session_id, "--json").json["session"]
    return found


def refused(called: Called) -> str:
    assert called.code == 1
    code: str = called.json["error"]["code"]
    return code


def test_a_paused_session_runs_nothing_until_it_is_resumed(covel: Covel, session_id: str) -> None:
    assert covel("sessions", "pause", session_id).out == f"{session_id}: paused.\n"
    assert covel("sessions", "pause", session_id).out.endswith("paused (nothing changed).\n")
    run = ("run", "teller", "--session", session_id, "--model", "offline", "--json")
    paused = covel(*run)
    assert refused(paused) == "session-not-active"
    assert f"covel sessions resume {session_id}" in paused.json["error"]["hint"]
    resumed = covel("sessions", "resume", session_id, "--json").json
    assert resumed["hasChanged"] is True
    assert resumed["session"]["status"] == "active"
    assert covel(*run).code == 0


def test_an_end_is_asked_about_and_final(covel: Covel, session_id: str) -> None:
    assert refused(covel("sessions", "end", session_id, "--json")) == "not-confirmed"
    assert record(covel, session_id)["status"] == "active"
    assert covel("sessions", "end", session_id, "--yes").out == f"{session_id}: ended.\n"
    for change in (
        ("pause", session_id),
        ("resume", session_id),
        ("end", session_id, "--yes"),
        ("plugins", session_id, "add", "keeper"),
        ("plugins", session_id, "remove", "teller"),
        ("model", session_id, "teller", "--unset"),
        ("setup", session_id, "teller", "retry"),
        ("seat", session_id, "seat-1", "--label", "A"),
    ):
        assert refused(covel("sessions", *change, "--json")) == "session-ended", change
    set_it = covel("plugins", "set", session_id, "tuned", "loud", "true", "--json")
    assert refused(set_it) == "session-ended"
    assert covel("sessions", "show", session_id).code == 0


@pytest.mark.parametrize("has_database", [False, True])
def test_no_command_finds_a_session_that_is_not_there(
    covel: Covel, packages: Path, home: Path, has_database: bool
) -> None:
    if has_database:
        covel("sessions", "new", "--json")
    for command in (
        ("pause", "nobody"),
        ("end", "nobody", "--yes"),
        ("plugins", "nobody"),
        ("plugins", "nobody", "add", "keeper"),
        ("model", "nobody"),
        ("model", "nobody", "teller", "default"),
        ("setup", "nobody"),
        ("setup", "nobody", "x", "waive", "--yes"),
        ("seat", "nobody"),
        ("seat", "nobody", "seat-1"),
        ("fork", "nobody"),
        ("snapshots", "nobody"),
        ("snapshots", "nobody", "take"),
        ("export", "nobody"),
        ("delete", "nobody", "--yes"),
    ):
        called = covel("sessions", *command, *(() if command[0] == "export" else ("--json",)))
        assert called.code == 1, command
        assert "session-not-found" in called.out + called.err or "nobody" in called.err, command
    assert covel("plugins", "set", "nobody", "tuned", "loud", "true").code == 1
    assert covel("plugins", "settings", "nobody", "tuned").code == 1
    assert (home / "covel.db").exists() is has_database


def test_a_package_comes_with_the_providers_that_it_needs(covel: Covel, session_id: str) -> None:
    added = covel("sessions", "plugins", session_id, "add", "needy", "--json").json
    assert added["added"] == ["needy", "keeper"]
    assert added["session"]["activePackages"] == ["teller", "needy", "keeper"]
    again = covel("sessions", "plugins", session_id, "add", "needy", "--json").json
    assert again["hasChanged"] is False
    listed = covel("sessions", "plugins", session_id).out
    assert listed.splitlines()[1:] == ["teller   active", "needy    active", "keeper   active"]


def test_a_package_that_is_taken_out_takes_those_with_it_that_need_it(
    covel: Covel, session_id: str
) -> None:
    covel("sessions", "plugins", session_id, "add", "needy")
    removed = covel("sessions", "plugins", session_id, "remove", "keeper", "--json").json
    assert removed["removed"] == ["needy", "keeper"]
    assert removed["rejected"].keys() == {"needy"}
    assert removed["session"]["excludedPackages"] == ["keeper"]
    assert refused(covel("sessions", "plugins", session_id, "add", "needy", "--json")) == (
        "package-not-active"
    )
    text = covel("sessions", "plugins", session_id).out
    assert "keeper   taken out\n" in text
    back = covel("sessions", "plugins", session_id, "add", "keeper", "--json").json
    assert back["session"]["excludedPackages"] == []


def test_running_a_package_that_was_taken_out_brings_it_back(covel: Covel, session_id: str) -> None:
    covel("sessions", "plugins", session_id, "remove", "teller")
    assert record(covel, session_id)["activePackages"] == []
    assert covel("run", "teller", "--session", session_id, "--model", "offline").code == 0
    found = record(covel, session_id)
    assert (found["activePackages"], found["excludedPackages"]) == (["teller"], [])


@pytest.mark.parametrize(
    ("action", "plugin_id", "code"),
    [
        ("add", "keepr", "package-not-found"),
        ("add", "../keeper", "package-not-found"),
        ("remove", "keeper", "package-not-active"),
    ],
)
def test_packages_that_cannot_be_changed_are_told(
    covel: Covel, session_id: str, action: str, plugin_id: str, code: str
) -> None:
    changed = covel("sessions", "plugins", session_id, action, plugin_id, "--json")
    assert refused(changed) == code
    assert record(covel, session_id)["revision"] == 0


def test_a_session_whose_package_is_gone_can_still_be_changed(
    covel: Covel, session_id: str, packages: Path
) -> None:
    (packages / "teller" / "PLUGIN.md").unlink()
    (packages / "teller").rmdir()
    listed = covel("sessions", "plugins", session_id, "--json").json
    assert listed["packages"] == [{"id": "teller", "isInstalled": False}]
    added = covel("sessions", "plugins", session_id, "add", "keeper", "--json").json
    assert added["session"]["activePackages"] == ["teller", "keeper"]
    for command in (
        ("pause", session_id),
        ("resume", session_id),
        ("model", session_id, "teller", "--unset"),
        ("setup", session_id),
        ("fork", session_id),
        ("export", session_id),
        ("plugins", session_id, "remove", "teller"),
        ("end", session_id, "--yes"),
        ("delete", session_id, "--yes"),
    ):
        assert covel("sessions", *command).code == 0, command


def test_a_slot_is_chosen_for_a_runtime_and_taken_back(
    covel: Covel, session_id: str, home: Path
) -> None:
    (home / "llm.toml").write_text(
        '[covel.fast]\nprovider = "here"\nmodel = "m1"\nbaseUrl = "http://127.0.0.1:9/v1"\n',
        encoding="utf-8",
    )
    model = ("sessions", "model", session_id)
    assert covel(*model, "teller", "fast").out == f"{session_id}: teller uses the slot fast.\n"
    assert covel(*model, "--json").json["runtimeModelOverrides"] == {"teller": "fast"}
    assert covel(*model).out.splitlines()[1].split() == ["teller", "fast"]
    set_it = covel("plugins", "set", session_id, "tuned", "model", "fast", "--json")
    assert set_it.json["hasChanged"] is True
    assert covel(*model, "teller", "--unset", "--json").json["hasChanged"] is True
    assert covel(*model, "--json").json["runtimeModelOverrides"] == {}


def test_only_what_exists_can_be_chosen_as_a_model(covel: Covel, session_id: str) -> None:
    model = ("sessions", "model", session_id)
    assert covel(*model).out == "Every runtime uses its own slot.\n"
    assert refused(covel(*model, "teller", "nothing", "--json")) == "slot-not-found"
    assert refused(covel(*model, "other", "default", "--json")) == "runtime-not-found"
    assert covel(*model, "teller").code == 2
    assert covel(*model, "--unset").code == 2
    assert covel(*model, "teller", "fast", "--unset").code == 2


def test_a_session_with_a_setup_runtime_begins_in_setup(covel: Covel, packages: Path) -> None:
    made = covel("sessions", "new", "--with", "starter", "--json").json["sessionId"]
    assert record(covel, made)["phase"] == "setup"
    shown = covel("sessions", "setup", made, "--json").json
    assert shown == {
        "sessionId": made,
        "phase": "setup",
        "setupRuntimes": {"starter": {"state": "pending"}},
    }
    assert covel("sessions", "setup", made).out.splitlines()[1].split() == ["starter", "pending"]
    retried = covel("sessions", "setup", made, "starter", "retry", "--json").json
    assert retried["hasChanged"] is False
    waived = ("sessions", "setup", made, "starter", "waive", "--json")
    assert refused(covel(*waived)) == "not-confirmed"
    assert refused(covel(*waived, "--yes")) == "setup-not-blocked"
    assert refused(covel("sessions", "setup", made, "stater", "retry", "--json")) == (
        "setup-runtime-not-found"
    )
    assert covel("sessions", "setup", made, "starter").code == 2


def setting(covel: Covel, session_id: str, key: str) -> tuple[Any, str]:
    shown = covel("plugins", "settings", session_id, "tuned", "--json").json["settings"]
    (found,) = (one for one in shown if one["key"] == key)
    return found["value"], found["origin"]


@pytest.mark.parametrize(
    ("key", "given", "value"),
    [
        ("mood", "wild", "wild"),
        ("length", "9", 9),
        ("loud", "true", True),
        ("title", "true", "true"),
        ("title", "", ""),
        ("title", '{"a": 1}', '{"a": 1}'),
    ],
)
def test_a_setting_has_the_players_value_until_it_is_unset(
    covel: Covel, session_id: str, key: str, given: str, value: Any
) -> None:
    before = setting(covel, session_id, key)
    set_it = covel("plugins", "set", session_id, "tuned", key, given, "--json").json
    assert set_it["hasChanged"] is True
    assert setting(covel, session_id, key) == (value, "player")
    again = covel("plugins", "set", session_id, "tuned", key, given, "--json").json
    assert again["hasChanged"] is False
    unset = covel("plugins", "set", session_id, "tuned", key, "--unset", "--json").json
    assert unset["hasChanged"] is True
    assert setting(covel, session_id, key) == before


@pytest.mark.parametrize(
    ("key", "given", "expected"),
    [
        ("mood", "glad", "one of 'calm', 'wild'"),
        ("length", "0", "from 1 to 9"),
        ("length", "10", "from 1 to 9"),
        ("length", "2.5", "a whole number"),
        ("length", "many", "a whole number"),
        ("length", "true", "a whole number"),
        ("length", "null", "a whole number"),
        ("loud", "1", "true or false"),
        ("loud", "yes", "true or false"),
        ("model", "nothing", "a configured model slot"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_what_does(
    covel: Covel, session_id: str, key: str, given: str, expected: str
) -> None:
    called = covel("plugins", "set", session_id, "tuned", key, given, "--json")
    assert refused(called) == "setting-value-invalid"
    assert expected in called.json["error"]["message"]


def test_names_that_are_not_there_are_told_with_the_nearest(covel: Covel, session_id: str) -> None:
    called = covel("plugins", "set", session_id, "tuned", "moods", "calm", "--json")
    assert refused(called) == "setting-not-found"
    assert "'mood'" in called.json["error"]["hint"]
    gone = covel("plugins", "set", session_id, "gone", "mood", "calm", "--json")
    assert refused(gone) == "package-not-found"
    assert covel("plugins", "set", session_id, "tuned", "mood").code == 2
    assert covel("plugins", "set", session_id, "tuned", "mood", "calm", "--unset").code == 2
    stale = covel("plugins", "set", session_id, "gone", "mood", "--unset", "--json").json
    assert stale["hasChanged"] is False


def test_a_value_that_a_newer_package_excludes_counts_no_more(
    covel: Covel, session_id: str, packages: Path
) -> None:
    covel("plugins", "set", session_id, "tuned", "length", "9")
    covel("plugins", "set", session_id, "tuned", "title", "Old")
    manifest = packages / "tuned" / "PLUGIN.md"
    text = manifest.read_text("utf-8").replace("max: 9", "max: 5")
    manifest.write_text(
        text.replace("    - { key: title, type: text, label: Title }\n", ""), encoding="utf-8"
    )
    shown = covel("plugins", "settings", session_id, "tuned", "--json").json
    (length,) = (one for one in shown["settings"] if one["key"] == "length")
    assert (length["value"], length["origin"], length["ignored"]) == (3, "default", ["player"])
    assert shown["stale"] == ["title"]
    assert "default (unfit: player)" in covel("plugins", "settings", session_id, "tuned").out
    assert covel("plugins", "set", session_id, "tuned", "title", "--unset").code == 0


def test_seats_are_listed_and_added(covel: Covel, session_id: str) -> None:
    assert covel("sessions", "seat", session_id).out == "The session has no seats.\n"
    covel("sessions", "seat", session_id, "seat-2", "--label", "Guest")
    assert covel("sessions", "seat", session_id, "--json").json["seats"] == [
        {"id": "seat-2", "label": "Guest", "characterId": None}
    ]
    assert covel("sessions", "seat", session_id, "--label", "x").code == 2
    assert covel("sessions", "seat", session_id, "a", "--character", "b", "--nobody").code == 2
