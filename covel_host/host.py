"""The host: opens every room with its options, runs requests, closes everything."""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import AsyncExitStack
from functools import partial

from covel_host.base.clock import Clock, SystemClock
from covel_host.base.ids import IdSource
from covel_host.base.random_streams import RandomSource
from covel_host.base.tasks import TaskTracker
from covel_host.catalog.building import CatalogLoader
from covel_host.catalog.catalog import Catalog
from covel_host.catalog.holder import CatalogHolder
from covel_host.catalog.load_results import LoadResults
from covel_host.media.files import MediaFiles
from covel_host.memory.embedder import embedder_of
from covel_host.memory.system import MemorySystem
from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.selector import ModelSelector
from covel_host.models.slots import SlotTable
from covel_host.net.client import HttpClient
from covel_host.opening import open_catalog, read_slots, store_options
from covel_host.runtime.interjections import Interjection
from covel_host.runtime.lore_shelf import LoreShelf
from covel_host.runtime.session_media import SessionMedia
from covel_host.settings import Settings
from covel_host.store.execution_lock import ExecutionLock
from covel_host.store.jobs import JobRecord
from covel_host.store.store import Store
from covel_host.tools.approval import ApprovalPolicy
from covel_host.tools.executor import ToolExecutor
from covel_host.trace.event_log import EventLog
from covel_host.turn.action_admission import ActionRequest
from covel_host.turn.action_call import ActionReport
from covel_host.turn.actions import run_action
from covel_host.turn.admission import ManualRequest
from covel_host.turn.answering import AnswersReport, AnswersRequest, answer_questions
from covel_host.turn.commands import CommandHelp, CommandReport, CommandRequest, run_command
from covel_host.turn.errors import RequestRefused
from covel_host.turn.execution_report import ExecutionReport
from covel_host.turn.hook_calls import tell_session_start
from covel_host.turn.interjecting import SessionInterjections
from covel_host.turn.job_queue import StoredJobQueue
from covel_host.turn.job_requests import queue_manual
from covel_host.turn.job_workers import JobWorkers
from covel_host.turn.manual_runs import run_manual
from covel_host.turn.new_sessions import packages_for
from covel_host.turn.ports import Observer, SilentObserver, TurnPorts
from covel_host.turn.replaying import ReplayReport, replay_turn
from covel_host.turn.resuming import ResumeRequest, resume_run
from covel_host.turn.session_jobs import job_runner
from covel_host.turn.session_locks import SessionLocks
from covel_host.turn.sessions import new_session
from covel_host.turn.suspension_listing import SuspensionSweep, SweepPorts
from covel_host.turn.turns import TurnReport, TurnRequest, play_turn
from covel_host.turn.world_sessions import (
    WorldSession,
    WorldSessionRequest,
    new_world_session,
)

CLOSE_BUDGET_S = 5.0
"""How long closing waits for the runs, and then for the tools, that still go on."""

_LOG = logging.getLogger(__name__)


class Host:
    """An opened host; made with `Host.open`, used from one event loop, closed with `close`.

    `ports` are the opened rooms that executions work with.
    """

    def __init__(self, settings: Settings, ports: TurnPorts, resources: AsyncExitStack) -> None:
        self.settings = settings
        self.ports = ports
        self._resources = resources
        self._is_closing = False

    @classmethod
    async def open(
        cls,
        settings: Settings,
        *,
        load: Iterable[str],
        selector: ModelSelector | None = None,
        catalog: Catalog | None = None,
        clock: Clock | None = None,
    ) -> "Host":
        """A host with the packages `load` loaded, as far as their code may run.

        A package that cannot be loaded stops nothing: the catalog says why. `selector` is what
        answers model calls in place of the configured slots, `clock` what tells the time in place
        of the machine's. What was opened before an error is closed again.

        Raises:
            ModelError: the model settings cannot be used.
            StoreError: the database cannot be used.
        """
        async with AsyncExitStack() as opened:
            slots = read_slots(settings)
            gateway = ModelGateway(
                GatewayOptions.from_environment(settings.environ), slots, selector=selector
            )
            # What is used by others is closed after them: the last one first.
            store = await asyncio.to_thread(Store.open, store_options(settings))
            opened.push_async_callback(asyncio.to_thread, store.close)
            opened.push_async_callback(gateway.aclose)
            catalogs = CatalogHolder(catalog or open_catalog(settings), _loader(settings))
            opened.push_async_callback(catalogs.close)
            await catalogs.need(load)
            ports = _ports(settings, catalogs, store, gateway, slots, clock or SystemClock())
            opened.push_async_callback(ports.http.close)
            await ports.suspension_sweep.run_if_due()
            return cls(settings, ports, opened.pop_all())

    @property
    def catalog(self) -> Catalog:
        """The packages this host knows, as the next execution finds them."""
        return self.ports.catalogs.current

    @property
    def events(self) -> EventLog:
        """What happens in the sessions of this host, to listen to; see docs/events.md."""
        return self.ports.events

    @property
    def offline_note(self) -> str | None:
        """What to tell a person when the offline model answers; else `None`."""
        return self.ports.gateway.offline_note

    async def run(
        self, request: ManualRequest, *, observer: Observer | None = None
    ) -> ExecutionReport:
        """Run one runtime by hand and commit its turn; see `turn.manual_runs.run_manual`.

        Raises:
            RequestRefused: also with `host-closed`, once `close` has been called.
        """
        self._check_open()
        return await run_manual(request, self.ports, observer or SilentObserver())

    async def play(self, request: TurnRequest, *, observer: Observer | None = None) -> TurnReport:
        """Play a turn of a session; see `turn.turns.play_turn`.

        Raises:
            RequestRefused: as `run`.
        """
        self._check_open()
        return await play_turn(request, self.ports, observer or SilentObserver())

    def interject(self, session_id: str, text: str) -> Interjection:
        """Add a player's message to the story that is being told in a session right now.

        The model is told before it is asked next; the message is stored with the turn, under the
        ID that the answer has (spec/execution.md 5.9).

        Raises:
            RequestRefused: as `run`; `nothing-to-interject` when no story is being told there, see
                `turn.interjecting.SessionInterjections.put`.
        """
        self._check_open()
        return self.ports.interjections.put(session_id, text)

    async def open_session(self, packages: Iterable[str]) -> str:
        """The ID of a new session with those active packages, whose hooks have been told of it.

        Raises:
            RequestRefused: as `run`.
        """
        self._check_open()
        session = await new_session(self.ports, tuple(dict.fromkeys(packages)))
        await tell_session_start(session, self.ports, SilentObserver())
        return session.session_id

    async def begin_session(self, packages: Iterable[str] = ()) -> str:
        """The ID of a new session for a player: those packages, every core one, their providers.

        They are found among all packages that this host knows.

        Raises:
            RequestRefused: as `run`; `package-not-found` or `package-not-active`, with the reason.
        """
        self._check_open()
        resolution = packages_for(self.catalog, tuple(packages))
        return await self.open_session(resolution.active)

    async def open_world(self, request: WorldSessionRequest) -> WorldSession:
        """A new session made from a world pack; see `turn.world_sessions.new_world_session`.

        Then the hooks of its packages are told of it.

        Raises:
            RequestRefused: as `run`.
        """
        self._check_open()
        made = await new_world_session(request, self.ports)
        await tell_session_start(made.session, self.ports, SilentObserver())
        return made

    async def queue(self, request: ManualRequest, *, observer: Observer | None = None) -> JobRecord:
        """Queue one runtime as a job of its session; see `turn.job_requests.queue_manual`.

        Raises:
            RequestRefused: as `run`.
        """
        self._check_open()
        return await queue_manual(request, self.ports, observer or SilentObserver())

    async def drain_jobs(self, session_id: str, *, observer: Observer | None = None) -> None:
        """Run the jobs of a session until none is left; cancelled, it cancels those under way.

        Raises:
            RequestRefused: as `run`.
        """
        self._check_open()
        run = job_runner(self.ports, observer or SilentObserver())
        await self.ports.workers.drain(session_id, run)

    async def serve_jobs(
        self, *, session_id: str | None = None, observer: Observer | None = None
    ) -> None:
        """Run the jobs of all sessions until cancelled; those under way are cancelled with it.

        With `session_id` only those of that session: for a host that knows only its packages.

        Raises:
            RequestRefused: as `run`.
        """
        self._check_open()
        run = job_runner(self.ports, observer or SilentObserver())
        await self.ports.workers.serve(run, session_id=session_id)

    async def resume(
        self, request: ResumeRequest, *, observer: Observer | None = None
    ) -> ExecutionReport:
        """Go on with a suspended run; see `turn.resuming.resume_run`.

        Raises:
            RequestRefused: as `run`.
        """
        self._check_open()
        return await resume_run(request, self.ports, observer or SilentObserver())

    async def replay(
        self, session_id: str, turn_id: str, *, observer: Observer | None = None
    ) -> tuple[ReplayReport, ...]:
        """Run a recorded execution again and compare; see `turn.replaying.replay_turn`.

        Raises:
            RequestRefused: as `run`.
        """
        self._check_open()
        return await replay_turn(self.ports, session_id, turn_id, observer or SilentObserver())

    async def run_action(
        self, request: ActionRequest, *, observer: Observer | None = None
    ) -> ActionReport:
        """Run one RPC action of a package in a session; see `turn.actions.run_action`.

        Raises:
            RequestRefused: as `run`.
        """
        self._check_open()
        return await run_action(request, self.ports, observer or SilentObserver())

    async def run_command(
        self, request: CommandRequest, *, observer: Observer | None = None
    ) -> CommandReport | CommandHelp:
        """Run a player's command; see `turn.commands.run_command`.

        Raises:
            RequestRefused: as `run`.
        """
        self._check_open()
        return await run_command(request, self.ports, observer or SilentObserver())

    async def answer(
        self, request: AnswersRequest, *, observer: Observer | None = None
    ) -> AnswersReport:
        """Check and store players' answers; see `turn.answering.answer_questions`.

        Raises:
            RequestRefused: as `run`.
        """
        self._check_open()
        return await answer_questions(request, self.ports, observer or SilentObserver())

    def _check_open(self) -> None:
        if self._is_closing:
            raise RequestRefused("The host is closed; it runs nothing more.", code="host-closed")

    async def close(self) -> None:
        """End the runs and tools, then the packages, models and store; may be called again.

        A run under way is kept as failed. A step that fails does not keep the others from being
        closed; its error is raised at the end. While a tool or a run goes on beyond its budget,
        what it uses stays open: until the next `close`, or the end of the process
        (seed: ToolExecutor, 关闭).
        """
        self._is_closing = True
        executor, tasks = self.ports.executor, self.ports.tasks
        await tasks.close(budget_s=CLOSE_BUDGET_S)
        left = await executor.close(budget_s=CLOSE_BUDGET_S) + tasks.pending
        if left:
            _LOG.warning("Still running, so the store stays open: %s.", ", ".join(left))
            return
        await self._resources.aclose()


def _loader(settings: Settings) -> CatalogLoader:
    return CatalogLoader(
        trust=settings.trust,
        results=LoadResults(settings.load_results),
        folders=settings.folders,
    )


def _ports(
    settings: Settings,
    catalogs: CatalogHolder,
    store: Store,
    gateway: ModelGateway,
    slots: SlotTable,
    clock: Clock,
) -> TurnPorts:
    tasks = TaskTracker()
    # IDs never repeat with the seed: two runs of one seed are two sessions.
    ids = IdSource(RandomSource(), clock)
    lock, session_locks = ExecutionLock(settings.database, clock=clock), SessionLocks()
    keys = (slot.key.value for slot in slots.slots.values())
    secrets = tuple(key for key in keys if key)
    jobs = StoredJobQueue(store, clock, owner=ids.new("worker"))
    return TurnPorts(
        store=store,
        lock=lock,
        session_locks=session_locks,
        catalogs=catalogs,
        gateway=gateway,
        executor=ToolExecutor(clock=clock, approval=ApprovalPolicy(settings.tool_rules)),
        clock=clock,
        randoms=RandomSource(settings.random_seed),
        ids=ids,
        tasks=tasks,
        media=SessionMedia(MediaFiles(settings.media), store, clock=clock),
        http=HttpClient(),
        memory=MemorySystem(
            store, embedder=embedder_of(gateway, settings.environ, clock=clock), tasks=tasks
        ),
        lore=LoreShelf(store),
        interjections=SessionInterjections(ids=ids, clock=clock),
        jobs=jobs,
        workers=JobWorkers(jobs, tasks),
        suspension_sweep=SuspensionSweep(
            SweepPorts(store, lock, session_locks, clock), settings.suspension_ttl
        ),
        events=EventLog(
            clock=clock,
            new_epoch=partial(ids.new, "epoch"),
            secrets=secrets,
        ),
        locale=settings.locale,
        instruction_environ=settings.environ,
        secrets=secrets,
        auto_snapshots_kept=settings.auto_snapshots_kept,
        window_cap_tokens=settings.window_cap_tokens,
    )
