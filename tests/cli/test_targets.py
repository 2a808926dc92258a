"""What `PLUGIN[/RUNTIME]|PATH` names."""

from pathlib import Path

import pytest

from covel_host.cli.targets import NoPackage, Target, parse_target
from tests.cli.support import copy_echo


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with one package in `drafts`."""
    copy_echo(tmp_path / "drafts", "moss")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("text", ["moss", "moss/left", "drafts", "drafts/other"])
def test_other_texts_are_ids(text: str) -> None:
    assert parse_target(text) == Target(text)


@pytest.mark.parametrize(
    "text", ["drafts/moss", "./drafts/moss", "drafts/moss/", "drafts/../drafts/moss"]
)
def test_a_text_that_leads_to_a_package_is_a_path(here: Path, text: str) -> None:
    assert parse_target(text) == Target("moss", here / "drafts" / "moss")


def test_an_absolute_path_is_a_path(here: Path) -> None:
    package = here / "drafts" / "moss"
    assert parse_target(str(package)) == Target("moss", package)


def test_the_working_directory_is_named_by_its_folder(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here / "drafts" / "moss")
    assert parse_target(".") == Target("moss", here / "drafts" / "moss")
    assert parse_target("./left") == Target("moss/left", here / "drafts" / "moss")
    assert parse_target("left") == Target("left")


def test_a_runtime_may_follow_an_explicit_path(here: Path) -> None:
    assert parse_target("./drafts/moss/left") == (Target("moss/left", here / "drafts" / "moss"))


def test_the_home_of_a_person_is_expanded(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(here))
    assert parse_target("~/drafts/moss").plugin_id == "moss"


@pytest.mark.parametrize(
    "text", ["./nowhere", "/nowhere", "~/nowhere", "./drafts", "..", "./\udcff"]
)
def test_an_explicit_path_without_a_package_is_refused(text: str) -> None:
    with pytest.raises(NoPackage, match="is not the folder of a package") as refused:
        parse_target(text)
    refused.value.message.encode("utf-8")
