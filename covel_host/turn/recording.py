"""Recording an execution: doubles of its ports that write down what it takes from outside.

The state that it began with is kept by a snapshot (spec/decisions.md 6: replay).
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime

from covel_host.base.clock import Clock
from covel_host.base.ids import IdSource
from covel_host.memory.embedder import embedder_of
from covel_host.memory.system import MemorySystem
from covel_host.models.gateway_port import Gateway
from covel_host.models.recording import RecordingGateway
from covel_host.net.recorded_http import RecordingHttp
from covel_host.runtime.interjections import Interjection, InterjectionQueue
from covel_host.runtime.result import RunFailure
from covel_host.store.errors import StoreError
from covel_host.store.recordings import begin_recording, end_recording
from covel_host.store.rewinding import read_attempts
from covel_host.trace.redaction import redact
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.finished_runs import FinishedRuns
from covel_host.turn.interjecting import SessionInterjections
from covel_host.turn.outcomes import outcome_json
from covel_host.turn.ports import TurnPorts
from covel_host.turn.recorded_starts import start_json
from covel_host.turn.tapes import RunTape, SharedParts
from plugin_sdk.values import JsonObject, JsonValue

_LOG = logging.getLogger(__name__)

FORM = 1
"""The form of recordings that this version writes, and the only one it reads."""


@asynccontextmanager
async def recorded(
    facts: ExecutionFacts, ports: TurnPorts, *, is_wanted: bool
) -> AsyncIterator[TurnPorts]:
    """The ports to play the execution with; what it takes through them is stored at the end.

    Nothing is recorded unless it is wanted. The session is locked. A recording that grows too
    large is given up; its place says so.

    Raises:
        StoreError: the recording cannot be begun; nothing was started.
    """
    if not is_wanted:
        yield ports
        return
    session, at = facts.session, ports.clock.now()
    attempts = await ports.store.read(lambda reading: read_attempts(reading, session.session_id))
    tape = RecordingTape(facts, ports, attempts)
    await ports.store.transaction(
        lambda transaction: begin_recording(
            transaction,
            session.session_id,
            facts.turn_id,
            snapshot_id=ports.ids.new("snapshot"),
            revision=session.revision,
            at=at,
        )
    )
    try:
        yield tape.ports
    except asyncio.CancelledError:
        tape.was_aborted = True
        raise
    finally:
        # Like the end of the turn: what is short must not be cut short.
        await ports.tasks.finish(_stored(tape, facts, ports), name=f"record {facts.turn_id}")


async def _stored(tape: "RecordingTape", facts: ExecutionFacts, ports: TurnPorts) -> None:
    content = tape.to_json()
    try:
        await ports.store.transaction(
            lambda transaction: end_recording(
                transaction, facts.session.session_id, facts.turn_id, content
            )
        )
    except StoreError:
        # What became of the turn is more than its recording, which stays unfinished.
        _LOG.exception("The recording of %r could not be kept.", facts.turn_id)


class RecordingTape:
    """The tape of one execution; `ports` are the doubles of the ports that it is made with."""

    def __init__(self, facts: ExecutionFacts, ports: TurnPorts, attempts: JsonObject) -> None:
        self._secrets = ports.secrets
        self._start = start_json(facts, ports, attempts)
        self._runs: list[RunTape] = []
        self._made: Counter[str] = Counter()
        self._slots: JsonObject = {}
        self._interjections: list[JsonValue] = []
        self._outcome: JsonObject | None = None
        self.was_aborted = False
        self._whole = self._next("")
        gateway = self._gateway(ports.gateway, self._whole)
        self.ports = replace(
            ports,
            tape=self,
            gateway=gateway,
            ids=RecordingIds(ports.ids, self._whole),
            interjections=RecordingInterjections(ports.interjections, self._interjections),
            memory=_memory(ports, gateway),
        )
        self._outside = ports

    def of_run(self, ports: TurnPorts, runtime_id: str) -> TurnPorts:
        run, outside = self._next(runtime_id), self._outside
        return replace(
            ports,
            gateway=self._gateway(outside.gateway, run),
            http=RecordingHttp(outside.http, run.requests),
            ids=RecordingIds(outside.ids, run),
            code_clock=RecordingClock(outside.clock, run),
        )

    def settled(self, finished: FinishedRuns, failure: RunFailure | None) -> None:
        self._outcome = outcome_json(finished, failure, secrets=self._secrets)

    def to_json(self) -> JsonObject:
        """The recording as it is stored."""
        shared = SharedParts()
        runs: list[JsonValue] = [run.to_json(shared, self._secrets) for run in self._runs]
        return {
            "form": FORM,
            "start": redact(self._start, secrets=self._secrets),
            "slots": redact(self._slots, secrets=self._secrets),
            "interjections": self._interjections,
            "runs": runs,
            "shared": shared.values,
            "wasAborted": self.was_aborted,
            "outcome": self._outcome,
        }

    def _next(self, runtime_id: str) -> RunTape:
        run = RunTape(runtime_id, self._made[runtime_id])
        self._made[runtime_id] += 1
        self._runs.append(run)
        return run

    def _gateway(self, gateway: Gateway, run: RunTape) -> RecordingGateway:
        return RecordingGateway(
            gateway, calls=run.calls, embeddings=run.embeddings, slots=self._slots
        )


def _memory(ports: TurnPorts, gateway: Gateway) -> MemorySystem:
    """The memory of the host, or one whose vectors are recorded where it has any."""
    embedder = embedder_of(gateway, ports.instruction_environ, clock=ports.clock)
    if embedder is None:
        return ports.memory
    return MemorySystem(ports.store, embedder=embedder, tasks=ports.tasks)


class RecordingIds(IdSource):
    """The IDs of `ids`, written down."""

    def __init__(self, ids: IdSource, run: RunTape) -> None:
        self._ids = ids
        self._run = run

    def new(self, kind: str) -> str:
        made = self._ids.new(kind)
        self._run.ids.setdefault(kind, []).append(made)
        return made


class RecordingClock:
    """The clock of package code, written down."""

    def __init__(self, clock: Clock, run: RunTape) -> None:
        self._clock = clock
        self._run = run

    def now(self) -> datetime:
        now = self._clock.now()
        self._run.times.append(now.isoformat())
        return now

    def monotonic(self) -> float:
        tick = self._clock.monotonic()
        self._run.ticks.append(tick)
        return tick


class RecordingInterjections(SessionInterjections):
    """The queues of `interjections`; what is taken from the one of this execution is kept."""

    def __init__(self, interjections: SessionInterjections, taken: list[JsonValue]) -> None:
        self._interjections = interjections
        self._taken = taken

    def open(self, session_id: str, *, queue: InterjectionQueue | None = None) -> InterjectionQueue:
        recording = _RecordingQueue(self._taken) if queue is None else queue
        return self._interjections.open(session_id, queue=recording)

    def close(self, session_id: str) -> None:
        self._interjections.close(session_id)

    def put(self, session_id: str, text: str) -> Interjection:
        return self._interjections.put(session_id, text)


class _RecordingQueue(InterjectionQueue):
    def __init__(self, taken: list[JsonValue]) -> None:
        super().__init__()
        self._kept = taken

    def take(self) -> tuple[Interjection, ...]:
        taken = super().take()
        told: list[JsonValue] = [
            {"messageId": one.message_id, "text": one.text, "at": one.at.isoformat()}
            for one in taken
        ]
        self._kept.append(told)
        return taken
