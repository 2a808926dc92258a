"""One turn of the story, broken at one crossing at a time: all of it is kept, or nothing."""

import asyncio
import contextlib
import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from covel_host.base.errors import HostError
from covel_host.catalog.building import CatalogLoader
from covel_host.catalog.load_results import LoadResults
from covel_host.store.characters import every_character
from covel_host.store.messages import list_messages
from covel_host.store.plugin_data import list_data
from covel_host.store.session_clock import read_clock
from covel_host.store.sessions import require_session
from covel_host.store.tool_calls import list_tool_calls
from covel_host.store.transaction import Reading
from covel_host.store.turns import list_turns
from tests.support.crossings import Crossings, Fault, JumpingLoop, LoopClock
from tests.support.stories import StoryTable, story_table, story_turns

BROKEN: Final = story_turns()[2]
"""The turn with everything in it: an event and its follower, a sub-agent, both trackers."""

WRITES: Final = {
    "tide-clock": ("tide-clock", "clock"),
    "harbour/watch": ("harbour", "bells"),
    "chronicle/deeds": ("chronicle", "deeds"),
    "chronicle/people": ("chronicle", "people"),
}
"""Where each runtime writes in every turn in which it succeeds."""

PEOPLE: Final = "chronicle/people"
UPSERT: Final = "people-upsert"


@dataclass(frozen=True)
class Kept:
    """What the store holds.

    `versions` are the revisions that wrote each runtime's records; `last_results` and `last_calls`
    (those that succeeded) are of the turn that was committed last.
    """

    revision: int
    turns: int
    said: tuple[str, ...]
    versions: dict[str, tuple[int, ...]]
    ledger: dict[str, int]
    characters: int
    last_results: dict[str, str]
    last_calls: frozenset[str]


def kept(table: StoryTable) -> Kept:
    """What the store holds now."""
    session_id = table.session_id

    def rows(reading: Reading) -> Kept:
        session = require_session(reading, session_id)
        turns = [one for one in list_turns(reading, session_id) if one.revision == session.revision]
        results: Any = turns[0].results if turns else []
        return Kept(
            revision=session.revision,
            turns=session.completed_player_turns,
            said=tuple(one.content for one in list_messages(reading, session_id, limit=10_000)),
            versions={
                runtime_id: tuple(
                    row.version for row in list_data(reading, session_id, *place, limit=10_000)
                )
                for runtime_id, place in WRITES.items()
            },
            ledger={
                name: row.runs for name, row in read_clock(reading, session_id).triggers.items()
            },
            characters=sum(1 for _ in every_character(reading, session_id)),
            last_results={one["runtimeId"]: one["status"] for one in results},
            last_calls=frozenset(
                call.tool_name
                for turn in turns[:1]
                for call in list_tool_calls(reading, session_id, turn.turn_id)
                if call.status == "completed"
            ),
        )

    return table.host.ports.store.read_now(rows)


def torn(before: Kept, after: Kept) -> str | None:
    """What is wrong with `after`: neither `before` nor one whole turn more; None if nothing is."""
    if after.revision == before.revision:
        return None if after == before else f"something of a turn that was lost was kept: {after}"
    story = BROKEN["narrator"][-1]["text"]
    if (after.revision, after.turns) != (before.revision + 1, before.turns + 1):
        return f"the clock is wrong: {after}"
    if after.said != (*before.said, BROKEN["say"], story):
        return f"the journal is wrong: {after.said}"
    for runtime_id, versions in after.versions.items():
        status = after.last_results.get(runtime_id)
        succeeded = status == "success"
        # An agent may end well after a tool of its has failed.
        wrote = succeeded and (runtime_id != PEOPLE or UPSERT in after.last_calls)
        if (after.revision in versions) != wrote:
            return f"{runtime_id} has {status!r} and {after.last_calls}, and wrote {versions}"
        counted = after.ledger.get(runtime_id, 0) - before.ledger.get(runtime_id, 0)
        if counted != succeeded:
            return f"the ledger of {runtime_id} moved by {counted}"
    return None


class FaultyStory:
    """The story up to its third turn, on ports that can be broken."""

    def __init__(self, table: StoryTable, crossings: Crossings) -> None:
        self.table = table
        self.crossings = crossings
        self.statuses: dict[str, str] = {}

    async def recorded(self) -> list[str]:
        """The crossings of the turn, by name in their order, played once without a fault."""
        for turn in story_turns()[:2]:
            assert (await self.table.play(turn)).committed
        report = await self.crossings.turn(self.table.play(BROKEN))
        self.statuses = _statuses(report)
        return list(self.crossings.seen)

    async def broken(self, fault: Fault) -> str | None:
        """What is wrong after a turn with that fault and a whole one after it; None if nothing."""
        before, threads = kept(self.table), threading.active_count()
        with contextlib.suppress(asyncio.CancelledError, HostError):
            await self.crossings.turn(self.table.play(BROKEN), fault)
        problem = torn(before, kept(self.table)) or await self._left(threads)
        if problem is not None:
            return problem
        before = kept(self.table)
        report = await self.table.play(BROKEN)
        if not report.committed or _statuses(report) != self.statuses:
            return f"the next turn was {report.failure or _statuses(report)}"
        return torn(before, kept(self.table)) or await self._left(threads)

    async def _left(self, threads: int) -> str | None:
        """What is left behind of a turn: tasks, locks, leases, calls, threads."""
        ports = self.table.host.ports
        for _ in range(200):
            others = asyncio.all_tasks() - {asyncio.current_task()}
            if not others and threading.active_count() <= threads:
                break
            await asyncio.sleep(0.001)
        if others:
            return f"tasks are left: {sorted(str(one.get_name()) for one in others)}"
        if ports.tasks.pending:
            return f"the tracker still knows {ports.tasks.pending}"
        if threading.active_count() > threads:
            return f"threads are left: {[one.name for one in threading.enumerate()]}"
        if ports.lock.path.stat().st_size:
            return "the execution lock is held"
        leases = ports.catalogs._uses._counts  # nothing public says who holds a generation
        return f"{len(leases)} generations are leased" if leases else None


def _statuses(report: Any) -> dict[str, str]:
    return {one.runtime_id: one.status for one in report.executions[0].results}


def run_faults(home: Path, choose: Any) -> tuple[list[str], dict[Fault, str]]:
    """The crossings of the turn, and what is wrong after each of the faults that `choose` gives.

    `choose` makes faults of the list of crossings.
    """

    async def main() -> tuple[list[str], dict[Fault, str]]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, JumpingLoop)
        crossings = Crossings(loop)
        async with story_table(home) as table:
            host = table.host
            settings = host.settings
            loader = CatalogLoader(
                trust=settings.trust,
                results=LoadResults(settings.load_results),
                folders=settings.folders,
            )
            crossings.store(host.ports.store)
            crossings.model(table.model)
            host.ports = replace(
                host.ports,
                catalogs=crossings.catalogs(host.catalog, loader),
                clock=LoopClock(loop),
            )
            with crossings.installed():
                story = FaultyStory(table, crossings)
                seen = await story.recorded()
                handles = _handles()
                faults: Iterable[Fault] = choose(seen)
                problems = {}
                for fault in faults:
                    problem = await story.broken(fault)
                    if problem is not None:
                        problems[fault] = f"{seen[fault.number - 1]}: {problem}"
                assert _handles() <= handles, "file handles are left open"
                return seen, problems

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(main())


def _handles() -> int:
    return len(os.listdir("/proc/self/fd"))
