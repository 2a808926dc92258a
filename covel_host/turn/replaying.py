"""Running a recorded execution again, against the state that it began with (docs/replay.md).

It runs in a database of its own that is thrown away: the session is not touched, whatever runs.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal, TypeAlias

from covel_host.base.ids import IdSource
from covel_host.base.random_streams import RandomSource
from covel_host.base.tasks import TaskTracker
from covel_host.catalog.catalog import Catalog
from covel_host.media.files import MediaFiles
from covel_host.memory.embedder import embedder_of
from covel_host.memory.system import MemorySystem
from covel_host.runtime.lore_shelf import LoreShelf
from covel_host.runtime.session_media import SessionMedia
from covel_host.store.errors import RevisionNotKeptError
from covel_host.store.recordings import list_recordings
from covel_host.store.rewinding import rewound_store
from covel_host.store.store import Store
from covel_host.store.transaction import Reading
from covel_host.store.turns import get_turn
from covel_host.trace.event_log import EventLog
from covel_host.turn.errors import RequestRefused
from covel_host.turn.execution import Execution
from covel_host.turn.job_queue import StoredJobQueue
from covel_host.turn.job_workers import JobWorkers
from covel_host.turn.ports import Observer, TurnPorts
from covel_host.turn.recorded_starts import packages_json, session_of
from covel_host.turn.recordings import recording_of
from covel_host.turn.replay_comparison import Difference, differences
from covel_host.turn.replay_tape import ReplayTape
from covel_host.turn.replayed_starts import facts_again
from plugin_sdk.rules.instruction_locale import INSTRUCTION_LOCALE_VARIABLE

PackageChange: TypeAlias = Literal["changed", "missing", "added"]

_TASKS_BUDGET_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class ChangedPackage:
    """A package that is another one than then; `missing` also when it could not be loaded."""

    plugin_id: str
    change: PackageChange
    version_then: str | None
    version_now: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayReport:
    """How a replay compares with the recording: nothing in `differences`, and it is the same.

    `packages` are those that changed since. `was_aborted` says that the recorded execution was
    aborted, and so was the replay, at the same question or where the recording ends.
    """

    session_id: str
    turn_id: str
    revision: int
    packages: tuple[ChangedPackage, ...]
    differences: tuple[Difference, ...]
    was_aborted: bool = False

    @property
    def is_same(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


async def replay_turn(
    ports: TurnPorts, session_id: str, turn_id: str, observer: Observer
) -> tuple[ReplayReport, ...]:
    """Replay an execution, and those recorded that continued it, each from its own start.

    Raises:
        SessionNotFoundError: there is no such session.
        RequestRefused: it was not recorded, or cannot be played again: `turn-not-found`,
            `turn-not-recorded`, `recording-unfinished`, `recording-too-large`,
            `recording-not-kept`, `recording-unreadable`; or as the request that began it.
    """
    turn_ids = [turn_id, *await _continuations(ports.store, session_id, turn_id)]
    return tuple([await _replayed(ports, session_id, one, observer) for one in turn_ids])


async def _continuations(store: Store, session_id: str, turn_id: str) -> list[str]:
    def read(reading: Reading) -> list[str]:
        turns = (
            get_turn(reading, session_id, record.turn_id)
            for record in list_recordings(reading, session_id)
        )
        return [
            turn.turn_id
            for turn in turns
            if turn is not None and turn.origin == "continuation" and turn.parent_turn_id == turn_id
        ]

    return await store.read(read)


async def _replayed(
    ports: TurnPorts, session_id: str, turn_id: str, observer: Observer
) -> ReplayReport:
    record, content = await ports.store.read(
        lambda reading: recording_of(reading, session_id, turn_id)
    )
    start = content["start"]
    await ports.catalogs.need(
        [name for name in start["packages"] if name in ports.catalogs.current.packages]
    )
    with ports.catalogs.lease() as lease:
        async with _rewound(ports, content) as (playing, tape, task):
            held = await _played(start, playing, tape, task, lease.catalog, observer)
    assert tape.outcome is not None, "an execution that has ended was settled"
    return ReplayReport(
        session_id=session_id,
        turn_id=turn_id,
        revision=record.revision,
        packages=tuple(_changed(start["packages"], held)),
        differences=tuple(differences(content["outcome"], tape.outcome, tape.asked)),
        was_aborted=content["wasAborted"],
    )


class _Playing:
    """The task that plays, which the tape may have to abort."""

    task: "asyncio.Task[Any] | None" = None

    def abort(self) -> None:
        if self.task is not None:
            self.task.cancel()


async def _played(
    start: Any,
    ports: TurnPorts,
    tape: ReplayTape,
    playing: _Playing,
    catalog: Catalog,
    observer: Observer,
) -> Mapping[str, Any]:
    """Play to the end, whatever that is; the packages that were held."""
    facts = await facts_again(start, ports, catalog)
    playing.task = asyncio.create_task(Execution(facts, ports, observer).run())
    try:
        await asyncio.shield(playing.task)
    except asyncio.CancelledError:
        if not (tape.is_aborted and playing.task.cancelled()):
            playing.task.cancel()
            await asyncio.wait([playing.task])
            raise
    return packages_json(facts)


@asynccontextmanager
async def _rewound(
    ports: TurnPorts, content: Any
) -> AsyncIterator[tuple[TurnPorts, ReplayTape, _Playing]]:
    """Ports on a store of their own that holds the session as it was, all answering from the tape.

    Both are thrown away behind the block.
    """
    start, tasks, playing = content["start"], TaskTracker(), _Playing()
    with TemporaryDirectory(prefix="covel-replay-") as folder:
        place = Path(folder)
        store = await asyncio.to_thread(_opened, ports.store, place, start)
        try:
            tape = ReplayTape(content, ports, abort=playing.abort)
            yield _ports(ports, store, place, start, tape, tasks), tape, playing
        finally:
            await tasks.close(budget_s=_TASKS_BUDGET_S)
            await asyncio.to_thread(store.close)


def _opened(source: Store, place: Path, start: Any) -> Store:
    session = session_of(start)
    try:
        return rewound_store(source, place / "covel.db", session, start["attempts"])
    except RevisionNotKeptError as error:
        raise RequestRefused(
            f"The revision {session.revision} that the turn {start['turnId']!r} began with is not "
            "kept any more: its snapshot was dropped.",
            code="recording-not-kept",
            hint="Its recording is of no use any more: "
            f"covel replay {session.session_id} {start['turnId']} --forget",
        ) from error


def _ports(
    ports: TurnPorts, store: Store, place: Path, start: Any, tape: ReplayTape, tasks: TaskTracker
) -> TurnPorts:
    ids = IdSource(RandomSource(), ports.clock)
    queue = StoredJobQueue(store, ports.clock, owner=ids.new("worker"))
    environ = {
        name: value
        for name, value in ports.instruction_environ.items()
        if name != INSTRUCTION_LOCALE_VARIABLE
    }
    if start["instructionLocale"] is not None:
        environ[INSTRUCTION_LOCALE_VARIABLE] = start["instructionLocale"]
    playing = tape.whole(
        replace(
            ports,
            store=store,
            randoms=RandomSource(start["seed"]),
            tasks=tasks,
            media=SessionMedia(MediaFiles(place / "media"), store, clock=ports.clock),
            lore=LoreShelf(store),
            events=EventLog(clock=ports.clock, new_epoch=lambda: ids.new("epoch")),
            jobs=queue,
            workers=JobWorkers(queue, tasks),
            instruction_environ=environ,
            window_cap_tokens=start["windowCapTokens"],
        )
    )
    embedder = embedder_of(playing.gateway, environ, clock=ports.clock)
    return replace(playing, memory=MemorySystem(store, embedder=embedder, tasks=tasks))


def _changed(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[ChangedPackage]:
    found = []
    for plugin_id in sorted({*then, *now}):
        old, new = then.get(plugin_id), now.get(plugin_id)
        change: PackageChange
        if new is None:
            change = "missing"
        elif old is None:
            change = "added"
        elif old["contentHash"] != new["contentHash"]:
            change = "changed"
        else:
            continue
        found.append(
            ChangedPackage(
                plugin_id,
                change,
                None if old is None else old["version"],
                None if new is None else new["version"],
            )
        )
    return found
