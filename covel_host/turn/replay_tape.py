"""Doubles of an execution's ports that answer from a recording (docs/replay.md)."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypeAlias

from covel_host.base.clock import Clock
from covel_host.base.ids import IdSource
from covel_host.models.replaying import ReplayingGateway
from covel_host.net.recorded_http import ReplayingHttp
from covel_host.runtime.interjections import Interjection, InterjectionQueue
from covel_host.runtime.result import RunFailure
from covel_host.trace.redaction import redact
from covel_host.turn.finished_runs import FinishedRuns
from covel_host.turn.interjecting import SessionInterjections
from covel_host.turn.outcomes import outcome_json
from covel_host.turn.ports import TurnPorts
from covel_host.turn.tapes import RunTape, SharedParts, redacted_request
from plugin_sdk.values import JsonObject, JsonValue

RunKey: TypeAlias = tuple[str, int]
"""A runtime, and the number of one of its runs; `""` is the execution itself."""

_LONGER_THAN_ANY_RUN_S: Final = 1e7


@dataclass(frozen=True, slots=True)
class Asked:
    """Something that was asked in a replay, of a model or by HTTP, and what was asked then.

    `then` is None for what was not asked then, `now` for what is not asked any more.
    """

    runtime_id: str
    number: int
    what: Literal["model", "http"]
    position: int
    then: JsonValue
    now: JsonValue


class Unplayed:
    """The recorded calls of one run, or its requests, each taken once.

    Taken is the first one left that asked exactly the same, else the first one left: what was asked
    otherwise is then kept in `asked`.
    """

    def __init__(
        self, entries: Sequence[JsonObject], *, note: Callable[[int, JsonValue, JsonValue], None]
    ) -> None:
        self._left: list[tuple[int, JsonObject]] = list(enumerate(entries))
        self._note = note
        self._beyond = len(entries)

    def begins_with(self, request: JsonValue) -> bool:
        """Whether the first one left asked exactly that."""
        return bool(self._left) and self._left[0][1]["request"] == request

    def take(self, request: JsonValue) -> Any:
        """The one that `request` stands for, None when there is none left."""
        if not self._left:
            self._note(self._beyond, None, request)
            self._beyond += 1
            return None
        same = (at for at, (_, one) in enumerate(self._left) if one["request"] == request)
        at = next(same, None)
        position, entry = self._left.pop(0 if at is None else at)
        if at is None:
            self._note(position, entry["request"], request)
        return entry

    def leftovers(self) -> None:
        """Keep those that nobody asked for."""
        for position, entry in self._left:
            self._note(position, entry["request"], None)


class ReplayTape:
    """The tape that one execution is played from again.

    `abort` is called where the recorded execution was aborted. `asked` is what was asked otherwise
    than then, `outcome` what came of it, once it is over.
    """

    def __init__(self, content: Any, ports: TurnPorts, *, abort: Callable[[], None]) -> None:
        shared = SharedParts(content["shared"])
        tapes = [RunTape.from_json(one, shared) for one in content["runs"]]
        self._secrets: Collection[str] = ports.secrets
        self._content = content
        self._slots: JsonObject = content["slots"]
        self._clock, self._ids = ports.clock, ports.ids
        self._abort = abort
        self._tapes = {(tape.runtime_id, tape.number): tape for tape in tapes}
        self._embeddings = [one for tape in tapes for one in tape.embeddings]
        self._made: Counter[str] = Counter()
        self._clocks: dict[RunKey, SkippingClock] = {}
        self.asked: list[Asked] = []
        self._calls = {key: self._unplayed(tape, "model") for key, tape in self._tapes.items()}
        self._requests = {key: self._unplayed(tape, "http") for key, tape in self._tapes.items()}
        self._bound: dict[RunKey, RunKey] = {}
        self.outcome: JsonObject | None = None
        self.is_aborted = False

    def whole(self, ports: TurnPorts) -> TurnPorts:
        """The ports of the execution itself."""
        tape, key = self._next("")
        return replace(
            ports,
            tape=self,
            gateway=self._gateway(key),
            ids=ReplayedIds(self._ids, tape),
            interjections=ReplayedInterjections(
                self._content["interjections"], ids=self._ids, clock=self._clock
            ),
        )

    def of_run(self, ports: TurnPorts, runtime_id: str) -> TurnPorts:
        tape, key = self._next(runtime_id)
        clock = self._clocks[key] = SkippingClock(self._clock)
        return replace(
            ports,
            clock=clock,
            gateway=self._gateway(key),
            http=ReplayingHttp(_Requests(self, key)),
            ids=ReplayedIds(self._ids, tape),
            code_clock=ReplayedClock(self._clock, tape),
        )

    def settled(self, finished: FinishedRuns, failure: RunFailure | None) -> None:
        self.outcome = outcome_json(finished, failure, secrets=self._secrets)
        for unplayed in (*self._calls.values(), *self._requests.values()):
            unplayed.leftovers()

    def take_call(self, key: RunKey, request: JsonValue) -> Any:
        """The model call of that run which `request` stands for."""
        shown = redact(request, secrets=self._secrets)
        return self._taken(self._calls[self._claim(key, self._calls, shown)], shown)

    def take_request(self, key: RunKey, request: JsonValue) -> Any:
        """The HTTP request of that run which `request` stands for."""
        shown = redacted_request({"request": request}, self._secrets)["request"]
        return self._taken(self._requests[self._claim(key, self._requests, shown)], shown)

    def cut_off(self, key: RunKey) -> None:
        """What was cut off then is asked again: by an abort, or by a time limit, which comes."""
        if self._content["wasAborted"]:
            self.is_aborted = True
            self._abort()
        elif key in self._clocks:
            self._clocks[key].skip()

    def _taken(self, unplayed: Unplayed, request: JsonValue) -> Any:
        entry = unplayed.take(request)
        if entry is None and self._content["wasAborted"]:
            return {"deltas": []}
        return entry

    def _claim(
        self, key: RunKey, asked_of: Mapping[RunKey, Unplayed], request: JsonValue
    ) -> RunKey:
        """The recorded run whose calls and requests the run `key` plays.

        Runs of one runtime side by side need not begin in the order of then: the first question
        says which is which.
        """
        bound = self._bound.get(key)
        if bound is None:
            taken = self._bound.values()
            free = [one for one in asked_of if one[0] == key[0] and one not in taken]
            same = (one for one in free if asked_of[one].begins_with(request))
            fallback = key if key in free else next(iter(free), key)
            bound = self._bound[key] = next(same, fallback)
        return bound

    def _next(self, runtime_id: str) -> tuple[RunTape, RunKey]:
        number = self._made[runtime_id]
        self._made[runtime_id] += 1
        key = (runtime_id, number)
        if key not in self._tapes:
            self._tapes[key] = RunTape(runtime_id, number)
            self._calls[key] = self._unplayed(self._tapes[key], "model")
            self._requests[key] = self._unplayed(self._tapes[key], "http")
        return self._tapes[key], key

    def _unplayed(self, tape: RunTape, what: Literal["model", "http"]) -> Unplayed:
        def note(position: int, then: JsonValue, now: JsonValue) -> None:
            self.asked.append(Asked(tape.runtime_id, tape.number, what, position, then, now))

        return Unplayed(tape.calls if what == "model" else tape.requests, note=note)

    def _gateway(self, key: RunKey) -> ReplayingGateway:
        return ReplayingGateway(_Calls(self, key), embedding=self._embedding, slots=self._slots)

    def _embedding(self, texts: Sequence[str], slot: str | None) -> Any:
        wanted = redact({"texts": [*texts], "slot": slot}, secrets=self._secrets)
        assert isinstance(wanted, dict)
        for one in self._embeddings:
            if one["texts"] == wanted["texts"] and one["slot"] == wanted["slot"]:
                return one
        return None


@dataclass(frozen=True, slots=True)
class _Calls:
    tape: ReplayTape
    key: RunKey

    def take(self, request: JsonValue) -> Any:
        return self.tape.take_call(self.key, request)

    def cut_off(self) -> None:
        self.tape.cut_off(self.key)


@dataclass(frozen=True, slots=True)
class _Requests:
    tape: ReplayTape
    key: RunKey

    def take(self, request: JsonValue) -> Any:
        return self.tape.take_request(self.key, request)

    def cut_off(self) -> None:
        self.tape.cut_off(self.key)


class ReplayedIds(IdSource):
    """The IDs that were made for a run, by kind and in their order; then new ones of `ids`."""

    def __init__(self, ids: IdSource, run: RunTape) -> None:
        self._ids = ids
        self._left = {kind: [*made] for kind, made in run.ids.items()}

    def new(self, kind: str) -> str:
        left = self._left.get(kind)
        return str(left.pop(0)) if left else self._ids.new(kind)


class SkippingClock:
    """The host's clock for one run, whose limits need not be waited for."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ahead_s = 0.0

    def now(self) -> datetime:
        return self._clock.now()

    def monotonic(self) -> float:
        return self._clock.monotonic() + self._ahead_s

    def skip(self) -> None:
        """Let every limit of the run be over."""
        self._ahead_s = _LONGER_THAN_ANY_RUN_S


class ReplayedClock:
    """What package code read then; after that the time goes on from there as it does now."""

    def __init__(self, clock: Clock, run: RunTape) -> None:
        self._clock = clock
        self._times = [datetime.fromisoformat(str(one)) for one in run.times]
        self._ticks = [float(str(one)) for one in run.ticks]
        self._ahead: timedelta | None = None
        self._ahead_s: float | None = None

    def now(self) -> datetime:
        if self._times:
            told = self._times.pop(0)
            self._ahead = told - self._clock.now()
            return told
        return self._clock.now() + (self._ahead or timedelta())

    def monotonic(self) -> float:
        if self._ticks:
            told = self._ticks.pop(0)
            self._ahead_s = told - self._clock.monotonic()
            return told
        return self._clock.monotonic() + (self._ahead_s or 0.0)


class ReplayedInterjections(SessionInterjections):
    """Gives a story what the player added to it then, before the same model calls."""

    def __init__(self, taken: Sequence[Any], *, ids: IdSource, clock: Clock) -> None:
        super().__init__(ids=ids, clock=clock)
        self._taken = taken

    def open(self, session_id: str, *, queue: InterjectionQueue | None = None) -> InterjectionQueue:
        replayed = _ReplayedQueue(self._taken) if queue is None else queue
        return super().open(session_id, queue=replayed)


class _ReplayedQueue(InterjectionQueue):
    def __init__(self, taken: Sequence[Any]) -> None:
        super().__init__()
        self._recorded = [*taken]

    def __len__(self) -> int:
        # What waits is asked between two model calls: there stands what is taken next.
        return len(self._recorded[0]) if self._recorded else 0

    def take(self) -> tuple[Interjection, ...]:
        told = self._recorded.pop(0) if self._recorded else []
        return tuple(
            Interjection(one["messageId"], one["text"], datetime.fromisoformat(one["at"]))
            for one in told
        )
