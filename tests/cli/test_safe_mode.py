"""`--safe`: bundled packages and nothing else, and the terminal says so."""

from pathlib import Path

import pytest

from tests.cli.support import Covel, copy_echo, with_entry

PAYLOAD = ("--model", "offline", "--payload", '{"value": "moss"}')


@pytest.fixture
def broken_one(plugins: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trusted package of the user that breaks its load, beside a bundled one."""
    with_entry(plugins, "breaks", "open('ran', 'w')\nraise SystemExit('broken')\n")
    copy_echo(tmp_path / "bundled", "narrator")
    monkeypatch.setenv("COVEL_TRUST", "breaks")


@pytest.mark.usefixtures("broken_one")
@pytest.mark.parametrize(
    "command",
    [
        ("doctor",),
        ("tools",),
        ("tools", "narrator"),
        ("plugins", "list", "--load"),
        ("plugins", "resolve"),
        ("plugins", "show", "narrator", "--load"),
        ("run", "narrator", *PAYLOAD),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_only_bundled_packages_are_looked_at(covel: Covel, command: tuple[str, ...]) -> None:
    done = covel(*command, "--safe")
    assert done.code == 0, done.err
    assert "Safe mode: bundled packages only" in done.err
    assert "breaks" not in done.out
    assert not Path("ran").exists()


@pytest.mark.usefixtures("broken_one")
def test_the_document_is_not_disturbed(covel: Covel) -> None:
    listed = covel("plugins", "list", "--safe", "--json").json
    assert [found["id"] for found in listed["packages"]] == ["narrator"]


@pytest.mark.usefixtures("broken_one")
def test_other_packages_are_not_found(covel: Covel) -> None:
    assert covel("run", "breaks", "--safe").code == 1


def test_a_folder_beside_it_is_wrong_usage(covel: Covel, plugins: Path) -> None:
    package = copy_echo(plugins)
    for command in (
        ("run", str(package), "--safe"),
        ("tools", str(package), "--safe"),
        ("plugins", "list", "--safe", "--plugins-dir", str(plugins)),
    ):
        refused = covel(*command)
        assert (refused.code, "bundled packages only" in refused.err) == (2, True)
