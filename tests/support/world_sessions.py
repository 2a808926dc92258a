"""Stored sessions with a world, and single calls of the framework's tools in them."""

import asyncio
import atexit
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from covel_host.proposals.commit import commit_execution
from covel_host.proposals.plan import CommitReport
from covel_host.proposals.staged import StagedProposal
from covel_host.proposals.staging import Staging
from covel_host.proposals.world_snapshot import read_world
from covel_host.proposals.world_view import WorldView
from covel_host.runtime.run import SingleCall
from covel_host.store.character_schemas import put_character_schema
from covel_host.store.characters import every_character, put_character
from covel_host.store.dimensions import put_dimension
from covel_host.store.sessions import delete_session, insert_session, require_session
from covel_host.tools.calls import ToolCallResult
from tests.proposals.builders import commit, run
from tests.support.runs import FUNCTION, RunBench
from tests.support.worlds import dimension_record


class WorldSession:
    """Session `s1` of one store. Each call is a run of its own; `commit` keeps what it staged."""

    def __init__(self, folder: Path) -> None:
        self._bench = RunBench(folder, FUNCTION)
        self.store = self._bench.store
        self.turns = 0

    def put(
        self,
        characters: Iterable[Mapping[str, Any]] = (),
        *,
        schema: Mapping[str, Any] | None = None,
        dimensions: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        """Store the world as it is given, unchecked like what an older version left."""

        def write(transaction: Any) -> None:
            for record in characters:
                put_character(transaction, "s1", dict(record), revision=0)
            if schema is not None:
                put_character_schema(transaction, "s1", dict(schema), revision=0)
            for name, entry in (dimensions or {}).items():
                put_dimension(transaction, dimension_record(name, entry), revision=0)

        self.store.transaction_now(write)

    def clear(self) -> None:
        """Begin the session anew, without any world."""

        def write(transaction: Any) -> None:
            delete_session(transaction, "s1")
            insert_session(transaction, self._bench.session)

        self.store.transaction_now(write)
        self.turns = 0

    def staging(self) -> Staging:
        """The buffer of a new run over the committed world."""
        world = self.store.read_now(
            lambda reading: read_world(reading, require_session(reading, "s1"))
        )
        return self._bench.staging(world=WorldView(world))

    def call(self, tool: str, arguments: Any, staging: Staging | None = None) -> ToolCallResult:
        """What came of one call, made like a model's."""
        made = self._bench.made(
            call=SingleCall(tool, json.dumps(arguments)),
            contributed_tools=(tool,),
            staging=self.staging() if staging is None else staging,
        )
        [called] = asyncio.run(made.result()).tool_calls
        return called

    def commit(self, proposals: Iterable[StagedProposal]) -> CommitReport:
        """Commit the proposals as one execution.

        Raises:
            CommitRefused: one of them was refused; nothing is kept.
        """
        self.turns += 1
        writes = run("run-1", *proposals, plugin_id="demo", runtime_id="demo")
        execution = commit(f"t{self.turns}", incarnation="i1", runs=(writes,), messages=())
        return self.store.transaction_now(
            lambda transaction: commit_execution(transaction, execution)
        )

    @property
    def characters(self) -> dict[str, Any]:
        """The committed records by ID."""
        found = self.store.read_now(lambda reading: every_character(reading, "s1"))
        return {str(record["id"]): record for record in found}

    def close(self) -> None:
        self._bench.close()


@contextmanager
def world_session(**world: Any) -> Iterator[WorldSession]:
    """A session with that world; the database is one for the whole process, and made anew."""
    session = _shared()
    session.clear()
    session.put(**world)
    yield session


@cache
def _shared() -> WorldSession:
    folder = TemporaryDirectory()
    session = WorldSession(Path(folder.name))
    atexit.register(folder.cleanup)
    atexit.register(session.close)
    return session
