"""The log of commands that run packages."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from covel_host.base.package_logger import PackageLogger
from covel_host.cli import log_file
from covel_host.cli.log_file import log_to_file
from covel_host.cli.log_levels import LogLevels, parse_log_levels
from covel_host.settings import Settings, SettingsError, read_settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings({"COVEL_HOME": str(tmp_path), "COVEL_LOG": "warning"})


def logged(tmp_path: Path) -> str:
    return (tmp_path / "logs" / "covel.log").read_text(encoding="utf-8")


def test_records_of_the_level_and_above_are_kept(settings: Settings, tmp_path: Path) -> None:
    with log_to_file(settings):
        logging.getLogger("covel_host.x").info("left out")
        logging.getLogger("covel_host.x").warning("kept")
    assert "WARNING covel_host.x: kept" in logged(tmp_path)
    assert "left out" not in logged(tmp_path)


def test_a_text_that_is_no_unicode_is_logged_all_the_same(tmp_path: Path) -> None:
    # In a process of its own: pytest would hand the record to its report, which must be Unicode.
    code = (
        "import logging; from covel_host.cli.log_file import log_to_file; "
        "from covel_host.settings import read_settings\n"
        f"with log_to_file(read_settings({{'COVEL_HOME': {str(tmp_path)!r}}})): "
        "logging.getLogger('x').warning('odd \\udcff')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert "odd \\udcff" in logged(tmp_path)


def test_afterwards_everything_is_as_before(settings: Settings) -> None:
    root = logging.getLogger()
    before = (list(root.handlers), root.level, sys.stdout)
    with log_to_file(settings) as output:
        assert output is before[2]
        assert sys.stdout is not output
    assert (list(root.handlers), root.level, sys.stdout) == before


def test_what_is_printed_becomes_lines_of_the_log(tmp_path: Path) -> None:
    with log_to_file(read_settings({"COVEL_HOME": str(tmp_path)})):
        print("one\ntwo", end="")
        print(" and more")
    assert "printed: one\n" in logged(tmp_path)
    assert "printed: two and more\n" in logged(tmp_path)


def test_a_folder_that_cannot_be_made_means_no_log(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("in the way", encoding="utf-8")
    with log_to_file(settings):
        logging.getLogger("covel_host.x").error("nobody reads this")


def test_keys_of_providers_never_reach_the_log(tmp_path: Path) -> None:
    environ = {"COVEL_HOME": str(tmp_path), "MINE_API_KEY": "sk-0123456789", "TOY_API_KEY": "a"}
    with log_to_file(read_settings(environ)):
        logging.getLogger("x").warning("Bearer %s", "sk-0123456789")
        try:
            raise ValueError("sk-0123456789")
        except ValueError:
            logging.getLogger("x").exception("failed")
        print("printed sk-0123456789")
    assert "sk-0123456789" not in logged(tmp_path)
    assert "Bearer [key]" in logged(tmp_path)


def test_a_pipe_in_place_of_the_log_means_no_log(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    os.mkfifo(tmp_path / "logs" / "covel.log")
    with log_to_file(settings):
        logging.getLogger("covel_host.x").error("nobody reads this")


def test_a_large_log_is_set_aside(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_file, "MAX_LOG_BYTES", 10)
    for text in ("first of all", "second"):
        with log_to_file(settings):
            logging.getLogger("covel_host.x").warning(text)
    assert "first" not in logged(tmp_path)
    assert "first" in (tmp_path / "logs" / "covel.log.1").read_text(encoding="utf-8")


def test_what_looks_like_a_credential_never_reaches_the_log(
    settings: Settings, tmp_path: Path
) -> None:
    with log_to_file(settings):
        logging.getLogger("x").warning("asked with Authorization: Bearer abcdefghijklmnop")
    text = logged(tmp_path)
    assert "abcdefghijklmnop" not in text
    assert "asked with" in text


def test_rooms_and_packages_have_levels_of_their_own(tmp_path: Path) -> None:
    written = "warning, covel_host.turn=DEBUG,covel.packages.moss=info"
    turn = logging.getLogger("covel_host.turn")
    before = turn.level
    with log_to_file(read_settings({"COVEL_HOME": str(tmp_path), "COVEL_LOG": written})):
        logging.getLogger("covel_host.turn.commit").debug("kept of the room")
        logging.getLogger("covel_host.store").info("left out of another")
        PackageLogger("moss").info("kept of the package", left=1)
        PackageLogger("moss").debug("left out of it")
    assert turn.level == before
    told = logged(tmp_path)
    assert "DEBUG covel_host.turn.commit: kept of the room" in told
    assert 'INFO covel.packages.moss: kept of the package {"left":1}' in told
    assert "left out" not in told


@pytest.mark.parametrize("written", ["loud", "info,covel_host.turn", "=info", "turn=loud", "a=b=c"])
def test_what_is_no_level_is_refused_with_the_part_that_is_wrong(written: str) -> None:
    with pytest.raises(SettingsError) as refused:
        parse_log_levels(written)
    assert repr(written.split(",")[-1]) in refused.value.message


def test_without_a_level_it_is_info() -> None:
    assert parse_log_levels("").everywhere == "INFO"
    assert parse_log_levels("debug,,error") == LogLevels("ERROR")
