"""The two kinds of events as facts."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from covel_host.trace.prompts import PromptBook, SentPrompt
from covel_host.trace.redaction import redact_members
from plugin_sdk.values import JsonValue


class TraceEvent:
    """One step of a turn, stored with it.

    `position` orders the events of a turn, from 0. `run_id` is the runtime run it belongs to
    (None: the turn itself), `parent_id` the run that started that run (None: the turn did).
    """

    # A plain class: a run makes hundreds, and a frozen record takes ten times as long to make.
    __slots__ = (
        "_data",
        "_parts",
        "_prompt",
        "_secrets",
        "at",
        "parent_id",
        "position",
        "run_id",
        "turn_id",
        "type",
    )

    def __init__(
        self,
        type: str,
        at: datetime,
        turn_id: str,
        position: int,
        run_id: str | None = None,
        parent_id: str | None = None,
        data: dict[str, Any] | None = None,
        secrets: tuple[str, ...] | None = None,
        prompt: tuple[SentPrompt, PromptBook] | None = None,
    ) -> None:
        """With `secrets`, `data` is to be redacted; without, it is as readers may see it.

        `prompt` is what a model call was given, and the book of the turn that keeps its parts.
        """
        self.type = type
        self.at = at
        self.turn_id = turn_id
        self.position = position
        self.run_id = run_id
        self.parent_id = parent_id
        self._data = {} if data is None else data
        self._secrets = secrets
        self._prompt = prompt
        self._parts: dict[str, str] = {}

    @property
    def data(self) -> dict[str, JsonValue]:
        """Its members under camelCase keys, redacted when they are read first.

        There is no other way to them. Most are read once, when the turn is stored.
        """
        self._read()
        return self._data

    @property
    def prompt_parts(self) -> dict[str, str]:
        """The parts of prompts that this event is the first of its turn to name, as JSON texts."""
        self._read()
        return self._parts

    def _read(self) -> None:
        if self._secrets is not None:
            self._data, self._secrets = redact_members(self._data, self._secrets), None
        if self._prompt is not None:
            (sent, book), self._prompt = self._prompt, None
            members, self._parts = book.entered(sent)
            self._data = {**self._data, **members}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEvent:
    """What clients are told about a session, such as after a commit (spec/protocol.md 3).

    `payload` has the camelCase members of the event's type. Identity and time are given when the
    event enters the session's log (`trace.event_log`): `event_id` is `<epoch>:<seq>`; events that
    cannot be sent again have none.
    """

    type: str
    session_id: str
    turn_id: str
    payload: dict[str, JsonValue] = field(default_factory=dict)
    event_id: str | None = None
    seq: int | None = None
    at: datetime | None = None
