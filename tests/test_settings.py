"""Settings of one process: what goes before what, and what cannot be used."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from covel_host.catalog.trust_records import TrustFile, TrustFileError
from covel_host.settings import Settings, SettingsError, read_settings
from covel_host.store.snapshots import AUTO_SNAPSHOTS_KEPT

AT = datetime(2026, 5, 6, tzinfo=UTC)


def read(home: Path, *, named: tuple[str, ...] = (), **environ: str) -> Settings:
    return read_settings({"COVEL_HOME": str(home), **environ}, trust=named)


def trusted_file(home: Path, text: str) -> Path:
    (home / "settings.toml").write_text(text, encoding="utf-8")
    return home


def test_an_empty_environment_means_the_defaults(tmp_path: Path) -> None:
    settings = read_settings({"HOME": str(tmp_path)})
    assert settings.home == tmp_path / ".covel"
    assert settings.database == tmp_path / ".covel" / "covel.db"
    assert (settings.locale, settings.random_seed, settings.trust.trusted) == ("en", None, {})
    assert settings.folders[-1].path == tmp_path / ".covel" / "plugins"


def test_trust_comes_from_file_variable_and_command_line_the_nearest_first(tmp_path: Path) -> None:
    trusted_file(tmp_path, 'trusted = ["a", "b", "c"]\n')
    settings = read(tmp_path, named=("c",), COVEL_TRUST="b, d e,")
    assert settings.trust.trusted == {
        "a": "settings.toml",
        "b": "COVEL_TRUST",
        "d": "COVEL_TRUST",
        "e": "COVEL_TRUST",
        "c": "--trust",
    }


def test_the_command_lines_locale_goes_before_the_variable(tmp_path: Path) -> None:
    environ = {"COVEL_HOME": str(tmp_path), "COVEL_LOCALE": "zh"}
    assert read_settings(environ).locale == "zh"
    assert read_settings(environ, locale="fr").locale == "fr"
    assert read(tmp_path, COVEL_LOCALE="").locale == "en"


@pytest.mark.parametrize(("text", "seed"), [("", None), ("7", 7), ("-3", -3), ("0", 0)])
def test_a_seed_is_a_whole_number(tmp_path: Path, text: str, seed: int | None) -> None:
    assert read(tmp_path, COVEL_RANDOM_SEED=text).random_seed == seed


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("trusted = [1]", "trusted is [1]"),
        ('trusted = "a"', "trusted is 'a'"),
        ("disabled = true", "disabled is True"),
        ("trustd = []", "unknown setting 'trustd'"),
        ("tools = 'deny look'", "a list of rules is expected"),
        ("tools = ['forbid look']", "settings.toml, tools: 'forbid look' is no rule"),
        ("trusted = [", "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read(trusted_file(tmp_path, text))
    assert named in caught.value.message
    assert "settings.toml" in caught.value.message
    assert caught.value.code == "invalid-setting"


def test_a_file_of_other_bytes_or_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_bytes(b"trusted = ['\xff']")
    with pytest.raises(SettingsError, match="cannot be read"):
        read(tmp_path)
    (tmp_path / "settings.toml").unlink()
    (tmp_path / "settings.toml").mkdir()
    with pytest.raises(SettingsError, match="cannot be read"):
        read(tmp_path)


def test_the_working_folder_is_that_of_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read(tmp_path).working_directory == tmp_path


def test_a_working_folder_that_is_gone_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert read(tmp_path).working_directory == Path()


def test_a_seed_that_is_no_number_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="COVEL_RANDOM_SEED is 'x'"):
        read(tmp_path, COVEL_RANDOM_SEED="x")


def test_a_folder_named_on_the_command_line_is_looked_in(tmp_path: Path) -> None:
    settings = read_settings({"COVEL_HOME": str(tmp_path)}, extra_folders=[tmp_path / "mine"])
    assert tmp_path / "mine" in [folder.path for folder in settings.folders]


def test_settings_do_not_show_the_environment(tmp_path: Path) -> None:
    assert "very-private" not in repr(read(tmp_path, LAB_API_KEY="very-private"))


def test_bundled_packages_can_be_turned_off(tmp_path: Path) -> None:
    bundled, user = read(trusted_file(tmp_path, 'disabled = ["narrator"]\n')).folders
    assert (bundled.source, bundled.disabled) == ("builtin", frozenset({"narrator"}))
    assert user.disabled == frozenset()


def test_safe_settings_look_in_the_bundled_folder_alone(tmp_path: Path) -> None:
    settings = read_settings({"COVEL_HOME": str(tmp_path)}, is_safe=True)
    assert settings.is_safe
    assert [folder.source for folder in settings.folders] == ["builtin"]


def test_grants_are_read_and_go_where_their_trust_has_ended_before_the_file(tmp_path: Path) -> None:
    file = TrustFile(read(tmp_path).trust_file)
    file.grant("a", content_hash="1", at=AT)
    for name in ("b", "c", "d"):
        file.end(name, content_hash="1", ended="revoked", at=AT)
    trusted_file(tmp_path, 'trusted = ["b", "c", "d", "e"]\n')
    settings = read(tmp_path, named=("c",), COVEL_TRUST="d")
    assert settings.trust.trusted == {"e": "settings.toml", "d": "COVEL_TRUST", "c": "--trust"}
    assert list(settings.trust.records) == ["a", "b", "c", "d"]


def test_grants_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "trust.json").write_text("[]", encoding="utf-8")
    with pytest.raises(TrustFileError, match=r"trust\.json"):
        read(tmp_path)


def test_the_number_of_automatic_snapshots_is_a_setting(tmp_path: Path) -> None:
    home = {"COVEL_HOME": str(tmp_path)}
    name = "COVEL_AUTO_SNAPSHOT_RETENTION"
    assert read_settings(home).auto_snapshots_kept == AUTO_SNAPSHOTS_KEPT
    assert read_settings({**home, name: "3"}).auto_snapshots_kept == 3
    for wrong in ("0", "-1", "1.5", "many"):
        with pytest.raises(SettingsError, match=f"{name} is {wrong!r}"):
            read_settings({**home, name: wrong})


def test_the_window_of_models_can_be_lowered(tmp_path: Path) -> None:
    home = {"COVEL_HOME": str(tmp_path)}
    name = "COVEL_COMPACTOR_CONTEXT_WINDOW"
    assert read_settings(home).window_cap_tokens is None
    assert read_settings({**home, name: "4096"}).window_cap_tokens == 4096
    for wrong in ("0", "255", "-1", "many"):
        with pytest.raises(SettingsError, match=f"{name} is {wrong!r}"):
            read_settings({**home, name: wrong})


def test_rules_for_tools_of_the_environment_go_before_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("tools = ['allow look', 'deny local:*']")
    rules = read(tmp_path, COVEL_TOOL_RULES="deny look, allow keep,").tool_rules
    assert [(rule.effect, rule.subject) for rule in rules] == [
        ("deny", "look"),
        ("allow", "keep"),
        ("allow", "look"),
        ("deny", "local:*"),
    ]


def test_a_rule_that_cannot_be_read_is_named_with_its_variable(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="COVEL_TOOL_RULES: 'look' is no rule"):
        read(tmp_path, COVEL_TOOL_RULES="look")


def test_a_pipe_in_the_place_of_the_file_is_named_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "settings.toml")
    with pytest.raises(SettingsError, match="no regular file"):
        read(tmp_path)


def test_a_home_of_nobody_is_a_folder_of_that_name(tmp_path: Path) -> None:
    settings = read_settings({"COVEL_HOME": "~no-such-person/covel"})
    assert settings.home == Path.cwd() / "~no-such-person" / "covel"
