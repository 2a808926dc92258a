"""A package that hands its payload to `memory-search` and whose facts can be searched."""

from pathlib import Path
from typing import Any

import yaml

_HANDLER = """\
from plugin_sdk.outcomes import success

async def handle(ctx):
    return success(value=await ctx.tools.call("memory-search", ctx.manual_payload))
"""


def search_package(home: Path, *, plugin_id: str = "searcher") -> None:
    """The package in `home/plugins`, with the searchable namespace `facts`."""
    folder = home / "plugins" / plugin_id
    (folder / "server").mkdir(parents=True)
    manifest: dict[str, Any] = {
        "description": "Searches the session's memory.",
        "contributes": {
            "data": {
                "facts": {"schema": "./any.json", "version": 1, "search": {"text": "text"}},
                "drafts": {"schema": "./any.json", "version": 1},
            }
        },
        "runtime": {
            "schedule": {"trigger": {"type": "manual"}},
            "function": {
                "handler": "./server/handler.py",
                "tools": {"builtin": ["memory-search"]},
            },
        },
    }
    (folder / "any.json").write_text("{}", encoding="utf-8")
    (folder / "server" / "handler.py").write_text(_HANDLER, encoding="utf-8")
    text = f"---\n{yaml.safe_dump(manifest)}---\n"
    (folder / "PLUGIN.md").write_text(text, encoding="utf-8")
