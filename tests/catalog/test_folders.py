"""Where packages are looked for, and in which order."""

from pathlib import Path

import pytest

from covel_host.catalog.folders import (
    PluginFolder,
    bundled_plugins_folder,
    home_folder,
    plugin_folders,
    templates_folder,
    user_plugins_folder,
)


def test_bundled_comes_first_then_named_folders_then_the_user_folder(tmp_path: Path) -> None:
    environ = {"COVEL_HOME": str(tmp_path / "home")}
    assert plugin_folders(environ, extra=[tmp_path / "mine"]) == (
        PluginFolder(bundled_plugins_folder(), "builtin"),
        PluginFolder(tmp_path / "mine", "community"),
        PluginFolder(tmp_path / "home" / "plugins", "community"),
    )


def test_the_bundled_folder_can_be_replaced(tmp_path: Path) -> None:
    first, *_ = plugin_folders({"COVEL_PLUGINS_DIR": str(tmp_path)})
    assert first == PluginFolder(tmp_path, "builtin")


def test_the_user_folder_is_found_by_the_first_variable_that_is_set(tmp_path: Path) -> None:
    own, home, person = tmp_path / "own", tmp_path / "home", tmp_path / "person"
    environ = {
        "COVEL_USER_PLUGINS_DIR": str(own),
        "COVEL_HOME": str(home),
        "HOME": str(person),
    }
    assert user_plugins_folder(environ) == own
    assert home_folder(environ) == home
    del environ["COVEL_USER_PLUGINS_DIR"]
    assert user_plugins_folder(environ) == home / "plugins"
    environ["COVEL_HOME"] = ""
    assert user_plugins_folder(environ) == person / ".covel" / "plugins"


def test_without_any_variable_the_home_of_the_person_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert home_folder({}) == tmp_path / ".covel"


def test_one_package_can_be_named_in_place_of_a_folder(tmp_path: Path) -> None:
    package = tmp_path / "moss-ledger"
    package.mkdir()
    (package / "PLUGIN.md").touch()
    folders = plugin_folders({}, extra=[package / "..", package / "." / "x" / ".."])
    assert PluginFolder(tmp_path, "community") in folders
    only = plugin_folders({}, extra=[package])[1]
    assert only == PluginFolder(tmp_path, "community", only="moss-ledger")


def test_relative_paths_start_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert plugin_folders({"COVEL_PLUGINS_DIR": "plugins"})[0].path == tmp_path / "plugins"


def test_a_folder_named_twice_is_listed_at_its_first_place(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    environ = {
        "COVEL_PLUGINS_DIR": str(tmp_path / "real"),
        "COVEL_USER_PLUGINS_DIR": str(tmp_path / "link"),
    }
    assert plugin_folders(environ) == (PluginFolder(tmp_path / "real", "builtin"),)


def test_what_is_shipped_lies_in_the_checkout_or_in_the_installation() -> None:
    assert bundled_plugins_folder().name == "builtin_plugins"
    assert templates_folder().name == "templates"
    assert bundled_plugins_folder().is_dir()
    assert templates_folder().is_dir()
