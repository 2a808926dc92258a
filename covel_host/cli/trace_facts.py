"""What the database holds of how a turn went."""

from dataclasses import dataclass

from covel_host.base.errors import HostError
from covel_host.cli.in_session import read_store
from covel_host.cli.session_facts import LAST, TurnNotFound, session_meant
from covel_host.settings import Settings
from covel_host.store.limits import MAX_LIMIT
from covel_host.store.prompt_parts import read_prompt_parts
from covel_host.store.records import TraceRecord, TurnRecord
from covel_host.store.traces import list_trace
from covel_host.store.transaction import Reading
from covel_host.store.turns import get_turn, list_turns
from covel_host.trace.prompts import joined, part_names, prompt_names
from covel_host.trace.report import Step, trace_report
from plugin_sdk.values import JsonValue


class CallNotFound(HostError):
    """The turn has no model call of that number."""

    def __init__(self, turn_id: str, number: int, count: int) -> None:
        super().__init__(
            f"The turn {turn_id!r} has no model call {number}; it made {count}.",
            code="call-not-found",
        )


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model call was given; of a concealed runtime's call nothing is kept."""

    call: Step
    messages: list[JsonValue]
    tools: list[JsonValue]


@dataclass(frozen=True, slots=True)
class TraceFacts:
    """A turn, and what happened in it; `prompt` is there when one was asked for."""

    turn: TurnRecord
    root: Step
    prompt: Prompt | None = None

    def call(self, number: int) -> Step:
        """The model call of that number.

        Raises:
            CallNotFound: there is none.
        """
        calls = [step for step in self.root.all_steps() if step.kind == "model"]
        for step in calls:
            if step.number == number:
                return step
        raise CallNotFound(self.turn.turn_id, number, len(calls))


def read_trace(settings: Settings, session_id: str, turn: str, *, prompt: int | None) -> TraceFacts:
    """The trace of the turn that `turn` means: an ID, a number in the session, or `last`.

    The session `last` is the one that changed last.

    Raises:
        SessionNotFoundError, TurnNotFound, CallNotFound: there is nothing of the kind.
        StoreError: the database cannot be read.
    """
    return read_store(settings, lambda reading: _facts(reading, session_id, turn, prompt))


def _facts(reading: Reading, session_id: str, wanted: str, prompt: int | None) -> TraceFacts:
    session_id = session_meant(reading, session_id)
    turn = _turn(reading, session_id, wanted)
    facts = TraceFacts(turn, trace_report(_all_rows(reading, turn)))
    if prompt is None:
        return facts
    call = facts.call(prompt)
    lists = read_prompt_parts(reading, session_id, prompt_names(call.data))
    names = [name for text in lists.values() for name in part_names(text)]
    texts = {**lists, **read_prompt_parts(reading, session_id, names)}
    found = Prompt(
        call, joined(call.data.get("messages"), texts), joined(call.data.get("tools"), texts)
    )
    return TraceFacts(turn, facts.root, found)


def _turn(reading: Reading, session_id: str, wanted: str) -> TurnRecord:
    if wanted == LAST:
        newest = list_turns(reading, session_id, limit=1)
        turn = newest[0] if newest else None
    elif wanted.isascii() and wanted.isdigit() and len(wanted) < 19:
        listed = list_turns(reading, session_id, limit=1, before=int(wanted) + 1)
        turn = listed[0] if listed and listed[0].sequence == int(wanted) else None
    else:
        turn = get_turn(reading, session_id, wanted)
    if turn is None:
        raise TurnNotFound(session_id, wanted)
    return turn


def _all_rows(reading: Reading, turn: TurnRecord) -> list[TraceRecord]:
    rows: list[TraceRecord] = []
    while True:
        after = rows[-1].position if rows else -1
        page = list_trace(reading, turn.session_id, turn.turn_id, limit=MAX_LIMIT, after=after)
        rows += page
        if len(page) < MAX_LIMIT:
            return rows
