"""`covel dev` in a process of its own, driven over pipes; tests wait for what it prints."""

import json
import os
import queue
import re
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.cli.support import SCRIPT

LIMIT_S = 60.0
"""Far beyond what any step takes on a loaded machine."""


class DevProcess:
    """A running `covel dev`; what it prints is read by a thread, so it never waits for us."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.seen: list[str] = []
        self.notes: list[str] = []
        self._readers = [
            threading.Thread(target=self._read_output, daemon=True),
            threading.Thread(target=self._read_notes, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def type(self, line: str) -> None:
        """Write one line to standard input."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def line(self) -> str:
        """The next line of standard output."""
        line = self.lines.get(timeout=LIMIT_S)
        assert line is not None, f"ended: {self.seen} {self.notes}"
        self.seen.append(line)
        return line

    def until(self, part: str) -> list[str]:
        """The lines up to and with the first that holds `part`."""
        found = [self.line()]
        while part not in found[-1]:
            found.append(self.line())
        return found

    def event(self, kind: str) -> dict[str, Any]:
        """The next JSON object of that type; others are passed over."""
        while True:
            document: dict[str, Any] = json.loads(self.line())
            if document["type"] == kind:
                return document
            assert document["type"] != "error", document

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """The exit code; standard input is closed first."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.wait()

    def wait(self) -> int:
        """The exit code of a process that ends by itself."""
        code = self.process.wait(timeout=LIMIT_S)
        for reader in self._readers:
            reader.join(LIMIT_S)
        return code

    def rest(self) -> list[str]:
        """What was printed and not read yet, once the process has ended."""
        lines = []
        while (line := self.lines.get(timeout=LIMIT_S)) is not None:
            lines.append(line)
        return lines

    def _read_output(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def _read_notes(self) -> None:
        assert self.process.stderr is not None
        self.notes += (line.rstrip("\n") for line in self.process.stderr)


@contextmanager
def covel_dev(*arguments: object, pass_fds: Sequence[int] = ()) -> Iterator[DevProcess]:
    """A process that is killed at the end unless it has ended; it alone keeps `pass_fds`."""
    process = subprocess.Popen(
        [SCRIPT, "dev", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        pass_fds=pass_fds,
    )
    for descriptor in pass_fds:
        os.close(descriptor)
    with process:
        try:
            yield DevProcess(process)
        finally:
            process.kill()
            process.wait()


def without_times(text: str) -> str:
    """`text` with every number of milliseconds masked."""
    return re.sub(r"\d+ ms", "N ms", text)
