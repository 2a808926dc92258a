"""Packages and scripts written for tests, and what a call of the program gave."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

ROOT = Path(__file__).parent.parent.parent
ECHO_DEMO = ROOT / "templates" / "echo-demo"
SCRIPT = Path(sys.executable).parent / "covel"


@dataclass(frozen=True, slots=True)
class Called:
    """Exit code and both outputs of one call."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


Covel: TypeAlias = Callable[..., Called]


def covel_process(
    *arguments: str, environ: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """One call of the installed program in a process of its own."""
    return subprocess.run(
        [SCRIPT, *arguments],
        env={**os.environ, **(environ or {})},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )


def copy_echo(folder: Path, name: str = "echo-demo") -> Path:
    """The template `echo-demo` under another name."""
    return Path(shutil.copytree(ECHO_DEMO, folder / name))


def write_package(folder: Path, name: str, manifest: str, code: str | None = None) -> Path:
    """A package with this `PLUGIN.md` and, where given, this entry."""
    package = folder / name
    package.mkdir(parents=True)
    (package / "PLUGIN.md").write_text(manifest, encoding="utf-8")
    if code is not None:
        (package / "server").mkdir()
        (package / "server" / "index.py").write_text(code, encoding="utf-8")
    return package


def with_entry(folder: Path, name: str, code: str) -> Path:
    """A copy of `echo-demo` with this entry in place of its own."""
    package = copy_echo(folder, name)
    (package / "server" / "index.py").write_text(code, encoding="utf-8")
    return package


def write_script(path: Path, *replies: Mapping[str, Any]) -> str:
    """`--model` for these scripted replies."""
    path.write_text(json.dumps(replies), encoding="utf-8")
    return f"scripted:{path}"


def call(name: str, arguments: Any = None) -> dict[str, Any]:
    """A scripted reply with one tool call."""
    return {"calls": [{"name": name, "arguments": {} if arguments is None else arguments}]}


DONE = call("runtime-done")

STORY = """\
---
description: Tells one line.
runtime:
  schedule:
    trigger: { type: manual }
  io: { visibility: story }
---
Tell one line.
"""
"""A package without code whose model writes prose."""
