"""A package with actions, commands and a form, in a session that it is active in."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any, TypeVar

import yaml

from covel_host.host import Host
from covel_host.proposals.at_once import NO_TURN
from covel_host.store.events import list_events
from covel_host.store.outside_inputs import list_outside_inputs
from covel_host.store.player_inputs import list_player_inputs
from covel_host.store.plugin_data import list_data
from covel_host.store.records import OutsideInputRecord, PlayerInputRecord, SessionRecord
from covel_host.store.sessions import insert_session, require_session
from covel_host.turn.action_admission import ActionRequest
from covel_host.turn.action_call import ActionReport
from covel_host.turn.commands import CommandHelp, CommandReport, CommandRequest
from tests.support.hosts import Recorder, opened

Value = TypeVar("Value")

HEAD = """
import asyncio
from typing import Annotated
from pydantic import BaseModel
from plugin_sdk import *
from plugin_sdk import action, form_validator, hookimpl
from plugin_sdk.context import ActionContext, FormContext
from plugin_sdk.outcomes import Event
from plugin_sdk.rules import translate
"""

TAIL = """

def _all(kind):
    return [value for value in globals().values() if type(value).__name__ == kind]

@hookimpl
def register_actions():
    return _all("Action")

@hookimpl
def register_form_validators():
    return _all("FormValidator")

@hookimpl
def register_tools():
    return _all("Tool")
"""


def write_satchel(
    home: Path,
    code: str,
    *,
    name: str = "satchel",
    contributes: dict[str, Any] | None = None,
    files: dict[str, str] | None = None,
    runtime: dict[str, Any] | None = None,
) -> Path:
    """The package `name`; what `code` registers has to be listed in `contributes`."""
    folder = home / "plugins" / name
    (folder / "server").mkdir(parents=True, exist_ok=True)
    manifest: dict[str, Any] = {"description": "A package of a test."}
    manifest["contributes"] = contributes or {}
    if runtime is not None:
        manifest["runtime"] = runtime
    (folder / "PLUGIN.md").write_text(f"---\n{yaml.safe_dump(manifest)}---\nDo it.\n", "utf-8")
    (folder / "server" / "index.py").write_text(HEAD + dedent(code) + TAIL, "utf-8")
    for path, content in (files or {}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")
    return folder


@dataclass
class Table:
    """A host with one session, and what was told of it."""

    host: Host
    session_id: str
    observer: Recorder

    async def act(self, action: str, payload: Any = None, **more: Any) -> ActionReport:
        request = {"plugin_id": "satchel", "payload": {} if payload is None else payload, **more}
        return await self.host.run_action(
            ActionRequest(session_id=self.session_id, action=action, **request),
            observer=self.observer,
        )

    async def type(self, line: str, **more: Any) -> CommandReport | CommandHelp:
        request = CommandRequest(session_id=self.session_id, line=line, **more)
        return await self.host.run_command(request, observer=self.observer)

    @property
    def session(self) -> SessionRecord:
        return self.host.ports.store.read_now(
            lambda reading: require_session(reading, self.session_id)
        )

    def data(self, namespace: str = "notes", plugin_id: str = "satchel") -> dict[str, Any]:
        return self.host.ports.store.read_now(
            lambda reading: {
                record.key: record.value
                for record in list_data(reading, self.session_id, plugin_id, namespace)
            }
        )

    def audit(self) -> list[OutsideInputRecord]:
        return self.host.ports.store.read_now(
            lambda reading: list_outside_inputs(reading, self.session_id)
        )

    def inputs(self) -> list[PlayerInputRecord]:
        return self.host.ports.store.read_now(
            lambda reading: list_player_inputs(reading, self.session_id)
        )

    def emitted(self) -> list[tuple[str, Any]]:
        return self.host.ports.store.read_now(
            lambda reading: [
                (event.topic, event.data)
                for event in list_events(reading, self.session_id)
                if event.source.turn_id == NO_TURN
            ]
        )


def at_table(
    home: Path,
    body: Callable[[Table], Awaitable[Value]],
    *,
    active: tuple[str, ...] = ("satchel",),
    session: dict[str, Any] | None = None,
    environ: dict[str, str] | None = None,
) -> Value:
    """What `body` gives, played on an opened host with a session of those packages."""

    async def main() -> Value:
        async with opened(home, environ=environ) as host:
            now = host.ports.clock.now()
            record = SessionRecord(
                **{
                    "session_id": "session-1",
                    "incarnation": "incarnation-1",
                    "created_at": now,
                    "updated_at": now,
                    "active_packages": active,
                    **(session or {}),
                }
            )
            await host.ports.store.transaction(
                lambda transaction: insert_session(transaction, record)
            )
            return await body(Table(host, record.session_id, Recorder()))

    return asyncio.run(main())
