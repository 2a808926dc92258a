"""What an execution works with, handed in by the host."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from covel_host.base.clock import Clock
from covel_host.base.ids import IdSource
from covel_host.base.random_streams import RandomSource
from covel_host.base.tasks import TaskTracker
from covel_host.catalog.holder import CatalogHolder
from covel_host.memory.system import MemorySystem
from covel_host.models.gateway_port import Gateway
from covel_host.net.client import Http
from covel_host.runtime.lore_shelf import LoreShelf
from covel_host.runtime.result import RunFailure
from covel_host.runtime.session_media import SessionMedia
from covel_host.store.execution_lock import ExecutionLock
from covel_host.store.snapshots import AUTO_SNAPSHOTS_KEPT
from covel_host.store.store import Store
from covel_host.tools.executor import ToolExecutor
from covel_host.trace.event_log import EventLog
from covel_host.trace.events import SessionEvent, TraceEvent
from covel_host.turn.interjecting import SessionInterjections
from covel_host.turn.job_queue import JobQueue
from covel_host.turn.job_workers import JobWorkers
from covel_host.turn.session_locks import SessionLocks
from covel_host.turn.suspension_listing import SuspensionSweep

if TYPE_CHECKING:
    from covel_host.runtime.tool_standings import StandingsSink
    from covel_host.turn.finished_runs import FinishedRuns


class Observer(Protocol):
    """Watches an execution while it runs, such as a terminal."""

    async def on_event(self, event: SessionEvent) -> None:
        """An event of the session, in order."""
        ...

    async def on_text(self, text: str, *, reset: bool) -> None:
        """The next piece of a model's text; with `reset` what was shown was a draft."""
        ...

    def on_trace(self, event: TraceEvent) -> None:
        """A step of the execution, redacted, as it is added to the trace; must not block."""
        ...


class SilentObserver:
    """Watches nothing."""

    async def on_event(self, event: SessionEvent) -> None:
        return None

    async def on_text(self, text: str, *, reset: bool) -> None:
        return None

    def on_trace(self, event: TraceEvent) -> None:
        return None


class Tape(Protocol):
    """What an execution takes from outside, being recorded or replayed; see `docs/replay.md`."""

    def of_run(self, ports: "TurnPorts", runtime_id: str) -> "TurnPorts":
        """The ports of the next run of that runtime; asked once for each run."""
        ...

    def settled(self, finished: "FinishedRuns", failure: RunFailure | None) -> None:
        """The execution is over; without a `failure` it was committed."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPorts:
    """The rooms below, opened.

    `secrets` never enter a trace, `locale` is that of new sessions. Each execution leases its
    catalog from `catalogs` and tells `events` what it tells its observer. `auto_snapshots_kept` is
    how many automatic snapshots a session keeps.
    `window_cap_tokens` can only lower the models' windows. Without `offers_events` no model is
    offered events to emit. `on_tools` is told of each run why it has its tools and no others.
    `code_clock` is what package code reads the time from in place of `clock`. With a `tape` the
    execution is recorded, or replayed.
    """

    store: Store
    lock: ExecutionLock
    session_locks: SessionLocks
    catalogs: CatalogHolder
    gateway: Gateway
    executor: ToolExecutor
    clock: Clock
    randoms: RandomSource
    ids: IdSource
    tasks: TaskTracker
    media: SessionMedia
    http: Http
    memory: MemorySystem
    lore: LoreShelf
    events: EventLog
    interjections: SessionInterjections
    suspension_sweep: SuspensionSweep
    jobs: JobQueue
    workers: JobWorkers
    locale: str
    instruction_environ: Mapping[str, str] = field(repr=False)
    secrets: Collection[str] = field(default=(), repr=False)
    auto_snapshots_kept: int = AUTO_SNAPSHOTS_KEPT
    window_cap_tokens: int | None = None
    offers_events: bool = True
    on_tools: "StandingsSink | None" = None
    code_clock: Clock | None = None
    tape: Tape | None = None

    def of_run(self, runtime_id: str) -> "TurnPorts":
        """The ports of the next run of that runtime, within an execution."""
        return self if self.tape is None else self.tape.of_run(self, runtime_id)
