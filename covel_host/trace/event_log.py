"""The ordered events of every session, as far back as a client may ask for them again.

They are kept in memory and stored nowhere: what they tell of is stored, and after a restart, or
where too much was missed, a client reads it again (spec/protocol.md 5, docs/events.md).
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from covel_host.base.clock import Clock
from covel_host.trace.event_types import EVENT_TYPES, Topic, checked_type
from covel_host.trace.events import SessionEvent
from covel_host.trace.public_payloads import public_payload
from covel_host.trace.subscription import Subscription, TooManySubscriptions

MAX_KEPT: Final = 500
"""How many events of one session can be sent again."""

MAX_SESSIONS: Final = 256
"""Of how many sessions events are kept; one that is listened to is not given up for another."""

MAX_PER_SESSION: Final = 8
MAX_SUBSCRIPTIONS: Final = 512

ResetReason = Literal["epoch-change", "gap", "transport-gap", "publish-failed"]


@dataclass(slots=True)
class _SessionLog:
    epoch: str
    newest: int = 0
    kept: deque[SessionEvent] = field(default_factory=lambda: deque(maxlen=MAX_KEPT))
    subscriptions: list[Subscription] = field(default_factory=list)

    @property
    def oldest(self) -> int:
        """The sequence of the oldest event that can be sent again; one past the newest if none."""
        return self.newest - len(self.kept) + 1

    @property
    def cursor(self) -> str:
        return f"{self.epoch}:{self.newest}"


class EventLog:
    """Numbers the events of sessions, keeps the newest ones, and hands them to who listens.

    The numbers of one session rise by one under one `epoch`, a text from `new_epoch` that changes
    whenever earlier numbers mean nothing any more. `secrets` are told to nobody. Used from one
    event loop.
    """

    def __init__(
        self, *, clock: Clock, new_epoch: Callable[[], str], secrets: Collection[str] = ()
    ) -> None:
        self._clock = clock
        self._secrets = tuple(secrets)
        self._new_epoch = new_epoch
        self._logs: OrderedDict[str, _SessionLog] = OrderedDict()
        self._listening = 0

    def add(self, event: SessionEvent) -> SessionEvent:
        """`event` with its time and identity, on its way to everybody who listens.

        Configured keys are in none of it, and the texts of errors are redacted like a trace.

        Raises:
            ValueError: its type is not listed in `trace.event_types`.
        """
        kind = EVENT_TYPES[checked_type(event.type)]
        payload = public_payload(event.payload, secrets=self._secrets)
        told = replace(event, payload=payload, at=self._clock.now())
        if kind.keeping == "replayed":
            log = self._log(event.session_id)
            log.newest += 1
            told = replace(told, seq=log.newest, event_id=log.cursor)
            log.kept.append(told)
        if self._listening:
            self._hand_on(told, kind.topic)
        return told

    def is_heard(self, session_id: str) -> bool:
        """Whether anybody listens to the session; an event that is not kept can be spared then."""
        return bool(self._listening) and bool(self._known(session_id).subscriptions)

    def renew(self, session_id: str, *, reason: ResetReason) -> SessionEvent:
        """Give up what is kept of the session: its events were not told in full.

        The `system.reset` that says so; who listens has got it.
        """
        log = self._log(session_id)
        log.epoch, log.newest = self._new_epoch(), 0
        log.kept.clear()
        reset = self._reset(session_id, log, reason)
        self._hand_on(reset, "system")
        return reset

    def subscribe(
        self,
        session_id: str,
        *,
        after: str | None = None,
        topics: Collection[Topic] | None = None,
    ) -> Subscription:
        """Listen to a session; close it when done, best with `with`.

        First comes `system.connected`. With `after`, the ID of the last event the client has, then
        every event since, or one `system.reset` where they are not all there any more; then what
        happens. `topics` are those wanted, all but traces without them.

        Raises:
            TooManySubscriptions: the session, or the process, has as many as it may.
        """
        log = self._log(session_id)
        if len(log.subscriptions) >= MAX_PER_SESSION or self._listening >= MAX_SUBSCRIPTIONS:
            raise TooManySubscriptions(session_id)

        def end() -> None:
            log.subscriptions.remove(subscription)
            self._listening -= 1

        subscription = Subscription(topics, on_close=end)
        subscription.push(self._connected(session_id, log), "system")
        for event in self._missed(session_id, log, after):
            subscription.push(event, EVENT_TYPES[event.type].topic)
        log.subscriptions.append(subscription)
        self._listening += 1
        return subscription

    def _missed(
        self, session_id: str, log: _SessionLog, after: str | None
    ) -> Collection[SessionEvent]:
        if after is None:
            return ()
        epoch, _, number = after.rpartition(":")
        if epoch != log.epoch or not (number.isascii() and number.isdigit()):
            return (self._reset(session_id, log, "epoch-change"),)
        # A longer number is ahead of every event there can be.
        last = int(number) if len(number) < 19 else log.newest + 1
        if not log.oldest - 1 <= last <= log.newest:
            return (self._reset(session_id, log, "gap"),)
        return [event for event in log.kept if event.seq is not None and event.seq > last]

    def _hand_on(self, event: SessionEvent, topic: Topic) -> None:
        for subscription in tuple(self._known(event.session_id).subscriptions):
            subscription.push(event, topic)

    def _known(self, session_id: str) -> _SessionLog:
        return self._logs.get(session_id) or _SessionLog("")

    def _log(self, session_id: str) -> _SessionLog:
        log = self._logs.get(session_id)
        if log is None:
            log = self._logs[session_id] = _SessionLog(self._new_epoch())
            self._give_up_oldest()
        self._logs.move_to_end(session_id)
        return log

    def _give_up_oldest(self) -> None:
        if len(self._logs) <= MAX_SESSIONS:
            return
        *others, _newest = self._logs.items()
        for session_id, log in others:
            if not log.subscriptions:
                del self._logs[session_id]
                return

    def _connected(self, session_id: str, log: _SessionLog) -> SessionEvent:
        return self._frame("system.connected", session_id, log)

    def _reset(self, session_id: str, log: _SessionLog, reason: ResetReason) -> SessionEvent:
        frame = self._frame("system.reset", session_id, log)
        frame.payload.update(
            reason=reason, epoch=log.epoch, oldestSeq=log.oldest, latestSeq=log.newest
        )
        return frame

    def _frame(self, name: str, session_id: str, log: _SessionLog) -> SessionEvent:
        now = self._clock.now()
        return SessionEvent(
            type=name,
            session_id=session_id,
            turn_id="",
            payload={
                "sessionId": session_id,
                "timestamp": now.isoformat(timespec="milliseconds"),
                "cursor": log.cursor,
            },
            at=now,
        )
