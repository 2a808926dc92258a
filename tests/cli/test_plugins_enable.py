"""`covel plugins enable|disable`: by a mark, for bundled packages by a setting."""

from pathlib import Path

import pytest

from covel_host.cli.settings_edit import SettingsNotChanged, set_disabled
from covel_host.settings import SettingsError, read_settings_file
from tests.cli.support import Covel, copy_echo


def listed(covel: Covel) -> tuple[list[str], list[str]]:
    document = covel("plugins", "list", "--json").json
    return (
        [found["id"] for found in document["packages"]],
        [found["id"] for found in document["disabled"]],
    )


def test_a_package_is_turned_off_and_on(covel: Covel, plugins: Path) -> None:
    package = copy_echo(plugins)
    before = sorted(package.rglob("*"))
    done = covel("plugins", "disable", "echo-demo")
    mark = package / "PLUGIN.md.disabled"
    assert (done.code, done.out) == (0, f"echo-demo is disabled, by {mark}.\n")
    assert listed(covel) == ([], ["echo-demo"])
    assert f"Disabled: echo-demo in {plugins}" in covel("plugins", "list").out
    assert covel("plugins", "disable", "echo-demo").out.startswith("echo-demo is already disabled")
    assert covel("plugins", "enable", "echo-demo").out == "echo-demo is enabled.\n"
    assert sorted(package.rglob("*")) == before
    assert listed(covel) == (["echo-demo"], [])
    assert covel("plugins", "enable", "echo-demo", "--json").json == {
        "id": "echo-demo",
        "isEnabled": True,
        "hasChanged": False,
        "by": str(mark),
    }


def test_a_bundled_package_is_turned_off_by_a_setting(
    covel: Covel, home: Path, tmp_path: Path
) -> None:
    package = copy_echo(tmp_path / "bundled", "narrator")
    before = sorted(package.rglob("*"))
    assert str(home / "settings.toml") in covel("plugins", "disable", "narrator").out
    assert sorted(package.rglob("*")) == before
    assert (home / "settings.toml").read_text(encoding="utf-8") == 'disabled = ["narrator"]\n'
    assert listed(covel) == ([], ["narrator"])
    assert covel("plugins", "disable", "narrator", "--json").json["hasChanged"] is False
    assert covel("plugins", "enable", "narrator").code == 0
    assert listed(covel) == (["narrator"], [])


def test_the_setting_turns_off_bundled_packages_alone(
    covel: Covel, plugins: Path, home: Path
) -> None:
    copy_echo(plugins)
    (home / "settings.toml").write_text('disabled = ["echo-demo"]\n', encoding="utf-8")
    assert listed(covel) == (["echo-demo"], [])


def test_a_mark_in_a_bundled_folder_is_removed(covel: Covel, tmp_path: Path) -> None:
    package = copy_echo(tmp_path / "bundled", "narrator")
    (package / "PLUGIN.md.disabled").touch()
    assert covel("plugins", "enable", "narrator", "--json").json["hasChanged"] is True
    assert listed(covel) == (["narrator"], [])


@pytest.mark.parametrize(
    "command", [("run", "echo-demo"), ("plugins", "show", "echo-demo"), ("tools", "echo-demo")]
)
def test_a_disabled_package_is_said_to_be_that(
    covel: Covel, plugins: Path, command: tuple[str, ...]
) -> None:
    copy_echo(plugins)
    covel("plugins", "disable", "echo-demo")
    refused = covel(*command)
    assert refused.code == 1
    assert "'echo-demo' is disabled" in refused.err
    assert "covel plugins enable echo-demo" in refused.err


@pytest.mark.parametrize("verb", ["enable", "disable"])
def test_an_unknown_package_names_the_nearest(covel: Covel, plugins: Path, verb: str) -> None:
    copy_echo(plugins)
    refused = covel("plugins", verb, "echo-dem", "--json").json["error"]
    assert (refused["code"], refused["hint"]) == ("package-not-found", "Did you mean 'echo-demo'?")


def test_the_trust_in_a_package_is_what_it_was(covel: Covel, plugins: Path) -> None:
    copy_echo(plugins)
    covel("trust", "grant", "echo-demo", "--yes")
    covel("plugins", "disable", "echo-demo")
    covel("plugins", "enable", "echo-demo")
    assert covel("plugins", "list", "--load", "--json").json["packages"][0]["status"] == "loaded"


TEXTS = {
    "": 'disabled = ["moss"]\n',
    'trusted = ["a"]': 'trusted = ["a"]\ndisabled = ["moss"]\n',
    "# mine\n\ntrusted = [ 'a' ] # why\n": "# mine\n\ntrusted = [ 'a' ] # why\n"
    'disabled = ["moss"]\n',
    "disabled = []\ntrusted = []\n": 'disabled = ["moss"]\ntrusted = []\n',
    'disabled = [\n  "a", # one\n  "b",\n]\ntrusted = ["c"]\n': 'disabled = ["a", "b", "moss"]\n'
    'trusted = ["c"]\n',
    '"disabled"=["a"]\r\n# end\r\n': 'disabled = ["a", "moss"]\n# end\r\n',
    '# disabled = ["x"]\n': '# disabled = ["x"]\ndisabled = ["moss"]\n',
}


@pytest.mark.parametrize("text", TEXTS, ids=repr)
def test_the_rest_of_the_file_stays_as_it_was_written(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(text.encode())
    trusted = read_settings_file(path).trusted
    assert set_disabled(path, "moss", is_disabled=True)
    assert path.read_bytes().decode() == TEXTS[text]
    assert read_settings_file(path).trusted == trusted
    assert not set_disabled(path, "moss", is_disabled=True)
    assert set_disabled(path, "moss", is_disabled=False)
    assert "moss" not in path.read_text(encoding="utf-8")
    assert [each.name for each in tmp_path.iterdir()] == ["settings.toml"]


def test_a_file_that_cannot_be_changed_safely_is_left(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    text = "trusted = ['''\ndisabled = []\n''']\n"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsNotChanged) as caught:
        set_disabled(path, "moss", is_disabled=True)
    assert 'disabled = ["moss"]' in (caught.value.hint or "")
    assert path.read_text(encoding="utf-8") == text


def test_a_broken_file_is_left(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("disabled = [", encoding="utf-8")
    with pytest.raises(SettingsError):
        set_disabled(path, "moss", is_disabled=True)


def test_rights_and_a_link_of_the_file_are_kept(tmp_path: Path) -> None:
    (tmp_path / "real.toml").write_text("", encoding="utf-8")
    (tmp_path / "real.toml").chmod(0o600)
    (tmp_path / "settings.toml").symlink_to(tmp_path / "real.toml")
    set_disabled(tmp_path / "settings.toml", "moss", is_disabled=True)
    assert (tmp_path / "settings.toml").is_symlink()
    assert (tmp_path / "real.toml").stat().st_mode & 0o777 == 0o600
