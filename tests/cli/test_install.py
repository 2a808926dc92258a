"""`covel install` and `covel uninstall`: what is said, what is left, what is trusted after."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.catalog.archives import FILES, archive_bytes, entry, write_archive
from tests.cli.support import STORY, Covel, copy_echo, write_package

RUN = ("run", "echo-demo", "--model", "offline", "--payload", '{"value": "moss"}')


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def state(covel: Covel, plugin_id: str) -> str:
    listed = covel("trust", "list", "--json").json["packages"]
    return next(str(facts["state"]) for facts in listed if facts["id"] == plugin_id)


def test_an_installed_package_is_found_and_not_trusted(
    covel: Covel, home: Path, tmp_path: Path
) -> None:
    done = covel("install", copy_echo(tmp_path / "src"))
    assert done.code == 0
    assert done.out.startswith("Installed 'echo-demo': ")
    assert "covel trust grant echo-demo" in done.out
    assert names(home / "plugins") == ["echo-demo"]
    assert covel(*RUN).code == 1
    covel("trust", "grant", "echo-demo", "--yes")
    assert covel(*RUN).code == 0


def test_the_document_says_what_was_installed(covel: Covel, home: Path, tmp_path: Path) -> None:
    content = archive_bytes(more=[(entry(".git/HEAD"), b"x")])
    archive = write_archive(tmp_path / "moss-ledger.zip", content)
    done = covel("install", archive, "--json").json
    assert len(done.pop("contentHash")) == 64
    assert done == {
        "id": "moss-ledger",
        "path": str(home / "plugins" / "moss-ledger"),
        "version": "0.0.0",
        "hasReplaced": False,
        "files": sorted(FILES),
        "leftOut": [".git"],
        "hasCode": False,
        "trust": None,
        "diagnostics": [],
    }
    other = covel("install", archive, "--id", "other")
    assert "left out .git" in other.out
    assert "It brings no code." in other.out


def test_a_package_with_errors_shows_them(covel: Covel, home: Path, tmp_path: Path) -> None:
    source = write_package(tmp_path / "src", "moss", STORY.replace("manual", "sometimes"))
    refused = covel("install", source)
    assert refused.code == 1
    assert "error[COV105]" in refused.err
    assert "sometimes" in refused.err
    assert "Nothing was installed." in refused.err
    document = covel("install", source, "--json").json["error"]
    assert (document["code"], len(document["diagnostics"])) == ("package-invalid", 1)
    assert names(home / "plugins") == []


@pytest.mark.parametrize("verb", [("install",), ("install", "--replace")])
def test_a_refusal_has_its_code_and_leaves_nothing(
    covel: Covel, home: Path, tmp_path: Path, verb: tuple[str, ...]
) -> None:
    copy_echo(tmp_path / "bundled", "narrator")
    hostile = archive_bytes(more=[(entry("../../evil.py"), b"")])
    sources = {
        "entry-outside": write_archive(tmp_path / "moss.zip", hostile),
        "id-reserved": copy_echo(tmp_path / "src", "narrator"),
        "source-unreadable": tmp_path / "nothing.zip",
        "id-invalid": write_archive(tmp_path / "Moss.zip", archive_bytes()),
    }
    for code, source in sources.items():
        refused = covel(*verb, source, "--json")
        assert (refused.code, refused.json["error"]["code"]) == (1, code)
    assert not (home / "plugins").exists()
    assert not list(tmp_path.rglob("evil.py"))


def test_the_id_of_a_bundled_package_that_is_disabled_stays_reserved(
    covel: Covel, tmp_path: Path
) -> None:
    copy_echo(tmp_path / "bundled", "narrator")
    covel("plugins", "disable", "narrator")
    refused = covel("install", copy_echo(tmp_path / "src", "narrator"), "--json")
    assert refused.json["error"]["code"] == "id-reserved"


def test_a_replaced_package_needs_a_grant_of_its_own(
    covel: Covel, plugins: Path, tmp_path: Path
) -> None:
    first = copy_echo(tmp_path / "one")
    covel("install", first)
    covel("trust", "grant", "echo-demo", "--yes")
    assert covel("install", first).code == 1
    again = covel("install", first, "--replace")
    assert again.out.startswith("Replaced 'echo-demo'")
    assert "Its code is trusted by covel trust grant." in again.out
    (first / "extra.py").write_text("", encoding="utf-8")
    assert "covel trust grant echo-demo" in covel("install", first, "--replace").out
    assert "it has changed since it was trusted" in covel(*RUN).err


def test_the_users_folder_is_where_the_variable_says(
    covel: Covel, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COVEL_USER_PLUGINS_DIR", str(tmp_path / "mine"))
    covel("install", copy_echo(tmp_path / "src"))
    assert names(tmp_path / "mine") == ["echo-demo"]
    assert covel("uninstall", "echo-demo", "--yes").code == 0
    assert names(tmp_path / "mine") == []


def test_uninstall_removes_the_folder_and_the_trust_and_keeps_sessions(
    covel: Covel, home: Path, tmp_path: Path
) -> None:
    source = copy_echo(tmp_path / "src")
    covel("install", source)
    covel("trust", "grant", "echo-demo", "--yes")
    covel(*RUN)
    removed = covel("uninstall", "echo-demo", "--yes")
    assert removed.code == 0
    assert names(home / "plugins") == []
    assert len(covel("sessions", "list", "--json").json["sessions"]) == 1
    assert state(covel, "echo-demo") == "uninstalled"
    covel("install", source)
    assert state(covel, "echo-demo") == "uninstalled"
    assert "its trust ended with its uninstall on" in covel(*RUN).err


def test_a_lasting_setting_does_not_bring_a_package_back_to_trust(
    covel: Covel, home: Path, tmp_path: Path
) -> None:
    source = copy_echo(tmp_path / "src")
    covel("install", source)
    (home / "settings.toml").write_text('trusted = ["echo-demo"]\n', encoding="utf-8")
    assert covel(*RUN).code == 0
    covel("uninstall", "echo-demo", "--yes")
    covel("install", source)
    assert covel(*RUN).code == 1


def test_uninstall_asks(covel: Covel, plugins: Path, terminal: Callable[[str], None]) -> None:
    copy_echo(plugins)
    refused = covel("uninstall", "echo-demo", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "not-confirmed")
    terminal("n\n")
    assert covel("uninstall", "echo-demo").code == 1
    assert names(plugins) == ["echo-demo"]
    terminal("y\n")
    done = covel("uninstall", "echo-demo")
    assert (done.code, f"Remove the folder {plugins / 'echo-demo'}?" in done.err) == (0, True)
    assert names(plugins) == []


def test_what_is_bundled_or_not_there_is_not_uninstalled(
    covel: Covel, plugins: Path, tmp_path: Path
) -> None:
    copy_echo(tmp_path / "bundled", "narrator")
    copy_echo(plugins)
    bundled = covel("uninstall", "narrator", "--yes", "--json").json["error"]
    assert (bundled["code"], "covel plugins disable" in bundled["hint"]) == (
        ("bundled-package", True)
    )
    unknown = covel("uninstall", "echo-dem", "--yes")
    assert unknown.code == 1
    assert "Did you mean 'echo-demo'?" in unknown.err
    assert names(plugins) == ["echo-demo"]
