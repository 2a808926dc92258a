"""A home of its own for every test, and the program called in this process."""

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from covel_host.cli.app import run
from tests.cli.support import Called


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home; neither settings nor keys of the machine reach the test."""
    for name in list(os.environ):
        if name.startswith("COVEL_") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    monkeypatch.setenv("COVEL_HOME", str(folder))
    bundled = tmp_path / "bundled"
    bundled.mkdir()
    monkeypatch.setenv("COVEL_PLUGINS_DIR", str(bundled))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return folder


@pytest.fixture
def plugins(home: Path) -> Path:
    """The user's folder of packages."""
    folder = home / "plugins"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def covel(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Called]:
    """Calls the program: `covel("plugins", "list")`."""

    def call(*arguments: object) -> Called:
        code = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Called(code, printed.out, printed.err)

    return call


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Lets a person answer questions: `terminal("y\\n")`."""

    def answer(text: str) -> None:
        monkeypatch.setattr("sys.stdin", _Terminal(text))
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    return answer
