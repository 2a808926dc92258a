"""`covel plugins`: what is found, without running it, and what a load gave."""

import os
from pathlib import Path

import pytest

from tests.cli.support import STORY, Covel, copy_echo, with_entry, write_package

BROKEN = "---\ndescription: [\n---\n"


def row(out: str, plugin_id: str) -> list[str]:
    return next(line.split() for line in out.splitlines() if line.startswith(f"{plugin_id} "))


def test_an_empty_home_is_no_error_and_says_where_was_looked(covel: Covel, home: Path) -> None:
    listed = covel("plugins", "list")
    assert listed.code == 0
    assert str(home / "plugins") in listed.out


def test_list_shows_id_kind_version_source_status_and_problems(covel: Covel, plugins: Path) -> None:
    copy_echo(plugins)
    write_package(plugins, "teller", STORY)
    write_package(plugins, "broken", BROKEN)
    listed = covel("plugins", "list")
    assert listed.code == 0
    assert row(listed.out, "echo-demo") == (
        ["echo-demo", "plugin", "0.0.0", "community", "untrusted", "0", "never"]
    )
    assert row(listed.out, "teller")[4] == "discovered"
    assert row(listed.out, "broken") == (["broken", "-", "-", "community", "error", "1", "never"])


def test_list_as_json_is_one_document(covel: Covel, plugins: Path) -> None:
    copy_echo(plugins)
    (package,) = covel("plugins", "list", "--json").json["packages"]
    assert package == {
        "id": "echo-demo",
        "kind": "plugin",
        "version": "0.0.0",
        "source": "community",
        "path": str(plugins / "echo-demo"),
        "status": "untrusted",
        "problems": {"errors": 0, "warnings": 0},
        "lastLoad": None,
    }


def test_bundled_packages_and_further_folders_are_listed(
    covel: Covel, home: Path, tmp_path: Path
) -> None:
    copy_echo(tmp_path / "bundled", "from-host")
    copy_echo(tmp_path / "more", "from-more")
    listed = covel("plugins", "list", "--plugins-dir", tmp_path / "more", "--json").json
    assert [(found["id"], found["source"]) for found in listed["packages"]] == [
        ("from-host", "builtin"),
        ("from-more", "community"),
    ]


def test_a_hidden_package_is_said(covel: Covel, plugins: Path, tmp_path: Path) -> None:
    copy_echo(plugins)
    copy_echo(tmp_path / "bundled")
    listed = covel("plugins", "list")
    assert "duplicate-package" in listed.out
    assert str(plugins) in listed.out
    assert row(listed.out, "echo-demo")[3] == "builtin"


def test_the_last_load_is_shown_until_the_content_changes(covel: Covel, plugins: Path) -> None:
    package = copy_echo(plugins)
    assert covel("plugins", "list", "--load", "--trust", "echo-demo").code == 0
    assert "loaded in" in covel("plugins", "list").out
    (package / "server" / "index.py").write_text("", encoding="utf-8")
    assert row(covel("plugins", "list").out, "echo-demo")[6] == "never"


def test_load_loads_what_is_trusted_and_nothing_else(covel: Covel, plugins: Path) -> None:
    with_entry(plugins, "left-alone", "open('ran', 'w')\n")
    copy_echo(plugins)
    listed = covel("plugins", "list", "--load", "--trust", "echo-demo", "--json").json
    status = {found["id"]: found["status"] for found in listed["packages"]}
    assert status == {"echo-demo": "loaded", "left-alone": "untrusted"}
    assert not Path("ran").exists()


def test_a_package_that_fails_to_load_is_remembered_and_stops_no_other(
    covel: Covel, plugins: Path
) -> None:
    copy_echo(plugins)
    with_entry(plugins, "faulty", "raise ValueError('no moon')\n")
    trust = ("--trust", "echo-demo", "--trust", "faulty")
    listed = covel("plugins", "list", "--load", *trust, "--json").json
    by_id = {found["id"]: found for found in listed["packages"]}
    assert by_id["echo-demo"]["status"] == "loaded"
    assert by_id["faulty"]["status"] == "error"
    assert "no moon" in covel("plugins", "list").out
    assert "no moon" in covel("plugins", "show", "faulty").out


def test_show_states_manifest_runtimes_contributions_and_trust(covel: Covel, plugins: Path) -> None:
    copy_echo(plugins)
    shown = covel("plugins", "show", "echo-demo").out
    assert "Echoes one short value" in shown
    assert "not trusted; allow it with --trust echo-demo" in shown
    assert "echo-demo  agent  manual" in shown
    assert "tools  echo-value" in shown


def test_show_says_who_trusts_and_which_tools_were_registered(
    covel: Covel, plugins: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_echo(plugins)
    monkeypatch.setenv("COVEL_TRUST", "echo-demo")
    shown = covel("plugins", "show", "echo-demo", "--load", "--json").json
    assert shown["trust"] == "COVEL_TRUST"
    assert shown["tools"] == ["echo-value"]
    assert shown["contributes"] == {"tools": ["echo-value"]}
    assert shown["runtimes"][0]["type"] == "agent"


def test_show_has_every_problem_with_its_lines(covel: Covel, plugins: Path) -> None:
    manifest = STORY.replace("{ visibility: story }", "{ visibility: loud }")
    write_package(plugins, "loud", manifest)
    shown = covel("plugins", "show", "loud")
    assert shown.code == 0
    assert "error[COV105] value-not-allowed" in shown.out
    assert "^^^^" in shown.out


def test_show_of_an_unknown_package_names_the_nearest(covel: Covel, plugins: Path) -> None:
    copy_echo(plugins)
    refused = covel("plugins", "show", "echo-dem")
    assert refused.code == 1
    assert refused.err == "error: No package 'echo-dem' was found.\n  Did you mean 'echo-demo'?\n"
    assert covel("plugins", "show", "x", "--json").json["error"]["code"] == "package-not-found"


def test_a_broken_settings_file_is_named(covel: Covel, plugins: Path, home: Path) -> None:
    (home / "settings.toml").write_text("trusted = 'echo-demo'\n", encoding="utf-8")
    refused = covel("plugins", "list")
    assert refused.code == 1
    assert "settings.toml" in refused.err
    assert "trusted" in refused.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_home_that_cannot_be_written_can_be_read(covel: Covel, plugins: Path, home: Path) -> None:
    copy_echo(plugins)
    home.chmod(0o500)
    try:
        assert covel("plugins", "list", "--load", "--trust", "echo-demo").code == 0
    finally:
        home.chmod(0o700)


def test_a_home_in_which_nothing_can_be_made_can_be_read(
    covel: Covel, plugins: Path, home: Path
) -> None:
    copy_echo(plugins)
    (home / "logs").write_text("in the way", encoding="utf-8")
    (home / "cache").write_text("in the way", encoding="utf-8")
    listed = covel("plugins", "list", "--load", "--trust", "echo-demo", "--json")
    assert listed.json["packages"][0]["status"] == "loaded"
    assert listed.err == ""


def test_text_of_a_package_cannot_steer_the_terminal(covel: Covel, plugins: Path) -> None:
    write_package(plugins, "loud", '---\ndescription: "a\\e[2Jb\\u009bc"\n---\n')
    shown = covel("plugins", "show", "loud").out
    assert "\x1b" not in shown
    assert "\x9b" not in shown
