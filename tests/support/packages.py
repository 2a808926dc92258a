"""Writes small package folders."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

import yaml

ENTRY_HEAD = """
import asyncio
from plugin_sdk import *
from plugin_sdk import hookimpl, tool
from plugin_sdk.context import ToolContext
from plugin_sdk.proposals import *
from plugin_sdk.results import *
"""

ENTRY_END = """

@hookimpl
def register_tools():
    return [value for value in globals().values() if type(value).__name__ == "Tool"]
"""


def write_package(
    folder: Path,
    *,
    code: str = "",
    tools: Sequence[str] = (),
    agent: Mapping[str, Any] | None = None,
    io: Mapping[str, Any] | None = None,
    body: str = "Do what you are asked.",
    files: Mapping[str, str] | None = None,
) -> str:
    """A package with one manual inline agent; its ID. `code` defines the tools, nothing more."""
    runtime: dict[str, Any] = {"schedule": {"trigger": {"type": "manual"}}, "agent": agent or {}}
    if io is not None:
        runtime["io"] = io
    manifest = {
        "description": "A package of a test.",
        "contributes": {"tools": list(tools)},
        "runtime": runtime,
    }
    (folder / "server").mkdir(parents=True, exist_ok=True)
    text = f"---\n{yaml.safe_dump(manifest, sort_keys=False)}---\n{body}\n"
    (folder / "PLUGIN.md").write_text(text, encoding="utf-8")
    if code:
        entry = ENTRY_HEAD + dedent(code) + ENTRY_END
        (folder / "server" / "index.py").write_text(entry, encoding="utf-8")
    for name, content in (files or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder.name
