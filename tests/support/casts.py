"""Small packages of several runtimes, whose handlers and replies a test writes."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any, TypeVar

import yaml

from covel_host.host import Host
from covel_host.store.records import SessionRecord, TurnRecord
from covel_host.store.sessions import require_session
from covel_host.store.turns import get_turn
from covel_host.turn.turns import TurnReport, TurnRequest
from tests.support.hosts import Recorder, Rows, opened, rows_of
from tests.support.replies import Reply

Value = TypeVar("Value")

HEAD = """
import asyncio
from plugin_sdk import ToolError
from plugin_sdk.outcomes import Effects, Event, failed, skip, skipped, success, suspended

"""


@dataclass(frozen=True)
class Member:
    """One runtime of a package: a function with `code`, or an agent without."""

    manifest: Mapping[str, Any]
    code: str | None = None
    guard: str | None = None


def function(code: str, *, guard: str | None = None, **manifest: Any) -> Member:
    """A function runtime; `code` is the body of `async def handle(ctx)`."""
    body = "async def handle(ctx):\n" + indented(code)
    return Member(manifest, body, None if guard is None else _guard(guard))


def agent(*, guard: str | None = None, **manifest: Any) -> Member:
    """An agent runtime, whose replies the test's gateway plays."""
    return Member({"agent": {}, **manifest}, None, None if guard is None else _guard(guard))


def story(**manifest: Any) -> Member:
    """A story told at the narrative stage of every turn."""
    given = {"schedule": {"stage": "narrative"}, "io": {"visibility": "story"}}
    return agent(**{**given, **manifest})


def indented(code: str) -> str:
    return "".join(f"    {line}\n" for line in dedent(code).strip("\n").split("\n"))


def _guard(code: str) -> str:
    return "async def guard(ctx):\n" + indented(code)


def cast(home: Path, plugin_id: str, members: Mapping[str, Member], **root: Any) -> str:
    """A package with those runtimes by name, and `root` in its manifest; its ID.

    The one named `""` is the package's inline runtime.
    """
    folder = home / "plugins" / plugin_id
    (folder / "server").mkdir(parents=True)
    (folder / "any.json").write_text("{}")
    contributes = {
        "data": {"notes": {"schema": "./any.json", "version": 1}},
        **root.pop("contributes", {}),
    }
    manifest = {"description": "A package of a test.", "contributes": contributes, **root}
    inline = members.get("")
    if inline is not None:
        manifest["runtime"] = _runtime(folder, inline)
    (folder / "PLUGIN.md").write_text(f"---\n{yaml.safe_dump(manifest)}---\nDo it.\n")
    for name, member in members.items():
        if name:
            place = folder / "runtimes" / name
            place.mkdir(parents=True)
            described = yaml.safe_dump(_runtime(place, member))
            (place / "RUNTIME.md").write_text(f"---\n{described}---\nDo it.\n")
    return plugin_id


def _runtime(folder: Path, member: Member) -> dict[str, Any]:
    """The manifest of a runtime, whose code is written into `folder`."""
    manifest = dict(member.manifest)
    if member.code is not None:
        manifest["function"] = {"handler": "./handler.py", **manifest.get("function", {})}
        (folder / "handler.py").write_text(HEAD + member.code)
    if member.guard is not None:
        manifest["guard"] = "./guard.py"
        (folder / "guard.py").write_text(HEAD + member.guard)
    return manifest


@dataclass
class Turn:
    """One played turn with what it told and left."""

    report: TurnReport
    observer: Recorder
    rows: Rows
    turn: TurnRecord

    @property
    def statuses(self) -> dict[str, str]:
        """The status of each runtime of the last execution, by ID."""
        return {one.runtime_id: one.status for one in self.report.executions[-1].results}

    @property
    def reasons(self) -> dict[str, str | None]:
        """Why runtimes of the last execution were skipped."""
        results = self.report.executions[-1].results
        return {one.runtime_id: one.reason for one in results if one.status == "skipped"}


class Table:
    """A session under way on an opened host."""

    def __init__(self, host: Host, session_id: str, plugin_id: str) -> None:
        self.host = host
        self.session_id = session_id
        self.plugin_id = plugin_id

    async def play(self, message: str | None = "Go on.", **request: Any) -> Turn:
        """Play one turn."""
        observer = Recorder()
        given = None if request.get("start") else message
        asked = TurnRequest(session_id=self.session_id, message=given, **request)
        report = await self.host.play(asked, observer=observer)
        turn_id = report.executions[-1].turn_id
        rows = rows_of(self.host.ports.store, self.session_id, turn_id, self.plugin_id)
        assert rows.turn is not None
        return Turn(report, observer, rows, rows.turn)

    @property
    def session(self) -> SessionRecord:
        """The session as it is stored now."""
        return self.host.ports.store.read_now(
            lambda reading: require_session(reading, self.session_id)
        )

    def turn(self, turn_id: str) -> TurnRecord | None:
        """A stored turn."""
        return self.host.ports.store.read_now(
            lambda reading: get_turn(reading, self.session_id, turn_id)
        )


def at_table(home: Path, body: Callable[[Table], Awaitable[Value]], *replies: Reply) -> Value:
    """What `body` gives in a new session with every package of the folder."""

    async def main() -> Value:
        async with opened(home, *replies) as host:
            names = [path.name for path in sorted((home / "plugins").iterdir())]
            session_id = await host.open_session(names)
            for state in host.catalog.packages.values():
                assert state.generation is not None, state.diagnostics
            return await body(Table(host, session_id, names[0]))

    return asyncio.run(main())


def played(home: Path, *replies: Reply, **request: Any) -> Turn:
    """One turn in a new session."""
    return at_table(home, lambda table: table.play(**request), *replies)
