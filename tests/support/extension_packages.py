"""Packages that implement extension points, and journals of any length, written for a test."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

import yaml

from covel_host.host import Host
from covel_host.models.messages import AssistantMessage, Message, ModelRequest, SystemMessage
from covel_host.store.messages import append_messages
from covel_host.store.records import MessageRecord
from covel_host.store.sessions import advance_session, require_session
from covel_host.store.transaction import Transaction

_HEAD = """
import asyncio

from plugin_sdk import *
from plugin_sdk import extension, hookimpl
from plugin_sdk.context import ExtensionContext
"""

_END = """

@hookimpl
def register_extensions():
    return [value for value in globals().values() if type(value).__name__ == "Extension"]
"""

_ACTIVATION = re.compile(r"<runtime-activation>.*?</runtime-activation>", re.DOTALL)

Declared = tuple[str, str] | tuple[str, str, int]


def write_extensions(
    home: Path,
    plugin_id: str,
    declared: Sequence[Declared],
    code: str,
    *,
    contributes: Mapping[str, Any] | None = None,
    **root: Any,
) -> str:
    """A package whose entry is `code`; `declared` are points, IDs and perhaps orders."""
    extensions = [dict(zip(("point", "id", "order"), one, strict=False)) for one in declared]
    manifest = {
        "description": "Extends prompts.",
        "contributes": {"extensions": extensions, **(contributes or {})},
        **root,
    }
    folder = home / "plugins" / plugin_id
    (folder / "server").mkdir(parents=True)
    (folder / "PLUGIN.md").write_text(f"---\n{yaml.safe_dump(manifest)}---\nDo it.\n")
    (folder / "server" / "index.py").write_text(_HEAD + dedent(code) + _END, encoding="utf-8")
    return plugin_id


def write_agents(home: Path, plugin_id: str, runtimes: Mapping[str, Any], **root: Any) -> str:
    """A package of several runtimes, each given as its frontmatter; bodies say their names."""
    folder = home / "plugins" / plugin_id
    folder.mkdir(parents=True)
    head = yaml.safe_dump({"description": "Agents of a test.", **root})
    (folder / "PLUGIN.md").write_text(f"---\n{head}---\n")
    for name, manifest in runtimes.items():
        place = folder / "runtimes" / name
        place.mkdir(parents=True)
        text = f"---\n{yaml.safe_dump(dict(manifest))}---\nYou are {name}.\n"
        (place / "RUNTIME.md").write_text(text, encoding="utf-8")
    return plugin_id


def fill_journal(
    host: Host, session_id: str, turns: int, *, text: Callable[[int], str] = "Words {}.".format
) -> None:
    """Commit `turns` turns of a player's message and a story."""
    store, at = host.ports.store, host.ports.clock.now()

    def fill(transaction: Transaction) -> None:
        session = require_session(transaction, session_id)
        append_messages(
            transaction,
            [
                MessageRecord(
                    message_id=f"{session_id}-{turn}-{role}",
                    session_id=session_id,
                    turn_id=f"turn-{turn}",
                    revision=session.revision + 1,
                    source="player" if role == "user" else "runtime",
                    role="user" if role == "user" else "assistant",
                    kind=None if role == "user" else "narrative",
                    content=f"{role} {text(turn)}",
                    created_at=at,
                )
                for turn in range(turns)
                for role in ("user", "assistant")
            ],
        )
        advance_session(transaction, session, turn_id="turn-0", at=at)

    store.transaction_now(fill)


def system_of(request: ModelRequest) -> str:
    """The system prompt of a request."""
    first = request.messages[0]
    assert isinstance(first, SystemMessage)
    return first.text


def told_of(request: ModelRequest) -> list[str]:
    """The texts of a request behind its system prompt, each with its role's first letter.

    Without the block that says why the runtime runs.
    """
    texts = [(_letter(one), _ACTIVATION.sub("", one.text).strip()) for one in request.messages[1:]]
    return [f"{letter}:{text}" for letter, text in texts if text]


def _letter(message: Message) -> str:
    if isinstance(message, SystemMessage):
        return "s"
    return "a" if isinstance(message, AssistantMessage) else "u"
