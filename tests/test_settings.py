"""Settings of one process: what goes before what, and what cannot be used."""

from pathlib import Path

import pytest

from covel_host.settings import Settings, SettingsError, read_settings


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
        ("trustd = []", "unknown setting 'trustd'"),
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
