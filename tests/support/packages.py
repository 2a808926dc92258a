"""Writes small package folders."""

import json
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
    datasets: Mapping[str, Any] | None = None,
    events: Mapping[str, Any] | None = None,
    hooks: Sequence[str] = (),
    function: Mapping[str, Any] | None = None,
) -> str:
    """A package with one manual inline agent; its ID. `code` defines tools and `hooks`, no more.

    `events` are payload schemas by topic; a topic that ends in `.internal` is not advertised.
    `hooks` are the events it listens to. With `function` the runtime is a function.
    """
    runtime: dict[str, Any] = {"schedule": {"trigger": {"type": "manual"}}}
    runtime |= {"agent": agent or {}} if function is None else {"function": dict(function)}
    if io is not None:
        runtime["io"] = io
    manifest = {
        "description": "A package of a test.",
        "contributes": {
            "tools": list(tools),
            "datasets": dict(datasets or {}),
            "events": [_event(topic) for topic in events or {}],
            "hooks": [{"event": event} for event in hooks],
        },
        "runtime": runtime,
    }
    (folder / "server").mkdir(parents=True, exist_ok=True)
    text = f"---\n{yaml.safe_dump(manifest, sort_keys=False)}---\n{body}\n"
    (folder / "PLUGIN.md").write_text(text, encoding="utf-8")
    if code:
        entry = ENTRY_HEAD + dedent(code) + ENTRY_END
        (folder / "server" / "index.py").write_text(entry, encoding="utf-8")
    schemas = {_schema_file(topic): json.dumps(schema) for topic, schema in (events or {}).items()}
    for name, content in {**schemas, **(files or {})}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder.name


def _event(topic: str) -> dict[str, Any]:
    return {
        "topic": topic,
        "schema": _schema_file(topic),
        "description": f"About {topic}.",
        "advertise": not topic.endswith(".internal"),
    }


def _schema_file(topic: str) -> str:
    return f"schemas/{topic}.json"
