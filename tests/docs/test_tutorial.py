"""The tutorial, done as it is written: its files written, its commands run, its outputs seen.

The blocks are those of the page itself, in their order, so page and test cannot drift.
"""

import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import IO

import pytest

from tests.cli.support import SCRIPT
from tests.docs.pages import ROOT, Sample, samples

TUTORIAL = ROOT / "docs" / "tutorial"
TYPED = re.compile(r"`(r tide-clock [^`]+)`")


def kind(block: Sample) -> str:
    """A file, an edit of a function in one, commands, or what they print."""
    return block.mark or block.language


def shown_in(expected: str, output: str) -> list[str]:
    """The lines of a page that `output` has not, in their order; `…` stands for anything."""
    left, missing = output, []
    for line in expected.splitlines():
        pattern = ".*?".join(map(re.escape, line.strip().split("…")))
        found = re.search(pattern, left)
        if found is None:
            missing.append(line)
        else:
            left = left[found.end() :]
    return missing


class Reader:
    """Somebody who does what the page says, in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {
            name: value for name, value in os.environ.items() if not name.startswith("COVEL_")
        }
        self.environ |= {
            "COVEL_HOME": str(folder / "home"),
            "PATH": f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}",
            "COLUMNS": "200",
        }
        self.output = ""
        self.developing: subprocess.Popen[str] | None = None

    def follow(self, block: Sample) -> None:
        if kind(block) == "file":
            path = self.folder / block.path
            path.write_text(block.text, encoding="utf-8")
        elif kind(block) == "edit":
            self.edit(self.folder / block.path, block.text)
        elif kind(block) == "sh":
            for line in block.text.splitlines():
                self.call(line)
        elif kind(block) == "text":
            self.look(block)

    def edit(self, path: Path, function: str) -> None:
        before = path.read_text("utf-8")
        name = function.split("(")[0]
        after = re.sub(rf"^{name}\(.*?(?=\n\n\n)", function.rstrip("\n"), before, flags=re.M | re.S)
        assert after != before
        path.write_text(after, encoding="utf-8")

    def call(self, line: str) -> None:
        if line.startswith("covel dev"):
            self.developing = subprocess.Popen(
                shlex.split(line),
                cwd=self.folder,
                env=self.environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
            )
            return
        done = subprocess.run(
            shlex.split(line),
            cwd=self.folder,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        self.output = done.stdout

    def look(self, block: Sample) -> None:
        if self.developing is None:
            assert shown_in(block.text, self.output) == [], self.output
            return
        typed = TYPED.search(block.before)
        if typed is not None:
            self.type(typed.group(1))
        self.wait_for(block.text)

    def type(self, line: str) -> None:
        assert self.developing is not None
        assert self.developing.stdin is not None
        self.developing.stdin.write(f"{line}\n")
        self.developing.stdin.flush()

    def wait_for(self, expected: str) -> None:
        """Read what `covel dev` shows until all of `expected` was there; a hang ends the test."""
        assert self.developing is not None
        stream: IO[str] | None = self.developing.stdout
        assert stream is not None
        seen = ""
        while shown_in(expected, seen):
            line = stream.readline()
            assert line, f"it ended before it showed {shown_in(expected, seen)}: {seen}"
            seen += line

    def leave(self) -> None:
        if self.developing is not None:
            assert self.developing.poll() is None
            self.type("q")
            self.developing.communicate(timeout=60)
            assert self.developing.returncode == 0


@pytest.mark.parametrize("page", sorted(TUTORIAL.glob("*.md")), ids=lambda page: page.name)
def test_the_tutorial_works_as_it_is_written(page: Path, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    kinds = []
    try:
        for block in samples(page):
            reader.follow(block)
            kinds.append(kind(block))
        reader.leave()
    finally:
        if reader.developing is not None:
            reader.developing.kill()
            reader.developing.wait()
    assert kinds.count("file") == 4
    assert kinds.count("sh") == 7
    assert "edit" in kinds


def test_both_languages_have_the_same_commands_and_steps() -> None:
    english, chinese = (samples(page) for page in sorted(TUTORIAL.glob("*.md")))
    assert [(kind(block), block.path) for block in english] == [
        (kind(block), block.path) for block in chinese
    ]
    commands = [
        [block.text for block in page if kind(block) == "sh"] for page in (english, chinese)
    ]
    assert commands[0] == commands[1]
