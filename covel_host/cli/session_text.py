"""Sessions as text; the trace of a turn as a tree."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from covel_host.base.json_text import dump_json
from covel_host.cli.output import one_line, safe_text, table, time_text, write_text
from covel_host.cli.session_facts import SHOWN, SessionFacts, TurnFacts
from covel_host.store.package_failures import PackageFailures
from covel_host.store.records import (
    MessageRecord,
    OutsideInputRecord,
    SeatRecord,
    SessionRecord,
    ToolCallRecord,
    TurnRecord,
)
from covel_host.trace.prompts import PROMPT_MEMBERS
from covel_host.trace.tree import TraceNode, build_tree
from plugin_sdk.values import JsonValue

if TYPE_CHECKING:
    from rich.tree import Tree

_HEAD = ("SESSION", "STATUS", "REVISION", "CHANGED", "PACKAGES")
_VALUE = 100
# Trees are drawn into a given width; what is no terminal gets one that nothing reaches.
_NO_TERMINAL_WIDTH = 4_000


def sessions_text(sessions: Sequence[SessionRecord]) -> str:
    """One line per session."""
    if not sessions:
        return "There are no sessions yet.\n"
    return table([_HEAD, *(_session_row(session) for session in sessions)])


def session_text(facts: SessionFacts) -> str:
    """The session, its messages, its turns with their tool calls, and what came between turns."""
    session = facts.session
    head = (
        f"{session.session_id}\n"
        f"  {session.status}, {session.phase}, revision {session.revision}, "
        f"locale {session.locale}{_world(session)}\n"
        f"  created {time_text(session.created_at)}, changed {time_text(session.updated_at)}\n"
        f"  packages: {', '.join(session.active_packages) or 'none'}\n"
    )
    if facts.seats:
        head += f"  seats: {', '.join(map(_seat, facts.seats))}\n"
    head += "".join(f"  {_failing(row, session)}\n" for row in facts.failures)
    messages = "".join(_message(message) for message in facts.messages)
    turns = "".join(_turn(turn) for turn in facts.turns)
    inputs = "".join(_input(given) for given in facts.inputs)
    return (
        head
        + (f"\nMessages{_cut(len(facts.messages))}\n{messages}" if messages else "")
        + (f"\nTurns{_cut(len(facts.turns))}\n{turns}" if turns else "")
        + (f"\nCalls and answers{_cut(len(facts.inputs))}\n{inputs}" if inputs else "")
    )


def _world(session: SessionRecord) -> str:
    return "" if session.world_id is None else f", world {one_line(session.world_id, limit=_VALUE)}"


def _seat(seat: SeatRecord) -> str:
    return f"{seat.seat_id} plays {seat.character_id or 'nobody'}"


def _failing(row: PackageFailures, session: SessionRecord) -> str:
    # Most sessions have no such row, and this needs the rooms of whole turns.
    from covel_host.turn.package_pauses import PAUSED_AFTER

    if row.in_a_row < PAUSED_AFTER:
        turns = "turn" if row.in_a_row == 1 else "turns in a row"
        return f"failing: {row.plugin_id}, {row.in_a_row} {turns}"
    command = f"covel plugins unpause {session.session_id} {row.plugin_id}"
    return f"set aside after repeated errors: {row.plugin_id}; until it is changed, or: {command}"


def write_trace(facts: TurnFacts) -> None:
    """Print the trace of a turn as a tree."""
    if not facts.trace:
        return
    from rich.console import Console
    from rich.tree import Tree

    write_text(f"\nTrace of {facts.turn.turn_id}\n")
    console = Console(
        file=sys.stdout,
        width=None if sys.stdout.isatty() else _NO_TERMINAL_WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
    )
    tree = Tree("turn")
    _grow(tree, build_tree(facts.trace))
    console.print(tree)


def _grow(tree: "Tree", node: TraceNode) -> None:
    from rich.text import Text

    for child in node.children:
        if child.event is None:
            _grow(tree.add(Text(f"run {child.run_id}", style="bold")), child)
        else:
            tree.add(Text(safe_text(_event(child.event.type, child.event.data))))


def _event(kind: str, data: dict[str, JsonValue]) -> str:
    facts = [
        f"{name}={_short(value)}" for name, value in data.items() if name not in PROMPT_MEMBERS
    ]
    return " ".join([kind, *facts])


def _cut(number: int) -> str:
    return f" (the newest {SHOWN})" if number == SHOWN else ""


def _session_row(session: SessionRecord) -> tuple[str, ...]:
    return (
        session.session_id,
        session.status,
        str(session.revision),
        time_text(session.updated_at),
        ", ".join(session.active_packages),
    )


def _message(message: MessageRecord) -> str:
    who = message.source if message.runtime_id is None else message.runtime_id
    lines = message.content.splitlines() or [""]
    indented = "".join(f"      {line}\n" for line in lines)
    return f"  {message.sequence}. {who} ({message.role}, {message.turn_id})\n{indented}"


def _turn(facts: TurnFacts) -> str:
    turn = facts.turn
    calls = "".join(_call(call) for call in facts.calls)
    return f"  {turn.turn_id}  {_outcome(turn)}\n{calls}{_texts(turn)}"


def _input(given: OutsideInputRecord) -> str:
    """One line for a call or an answer, and one for what came of it."""
    took = "" if given.duration_ms is None else f" in {given.duration_ms} ms"
    came = "" if given.result is None else f": {_short(given.result)}"
    if given.error is not None:
        came = f": {given.error.get('message')} ({given.error.get('code')})"
    return (
        f"  {given.sequence}. {given.type} {given.plugin_id}: {given.target} "
        f"{_short(given.payload)}\n"
        f"      {given.outcome}{took}{came}\n"
    )


def _texts(turn: TurnRecord) -> str:
    """What each runtime of the turn wrote at its end, one line each."""
    results = turn.results if isinstance(turn.results, list) else []
    return "".join(
        f"    {result['runtimeId']}: {one_line(str(result['text']), limit=_VALUE)}\n"
        for result in results
        if isinstance(result, dict) and result.get("text")
    )


def _outcome(turn: TurnRecord) -> str:
    took = "" if turn.duration_ms is None else f", {turn.duration_ms} ms"
    if turn.failure is not None:
        why = f"{turn.failure.get('message')} ({turn.failure.get('code')})"
        return f"{turn.commit_status}, {turn.origin}{took}: {why}"
    revision = "" if turn.revision is None else f" as revision {turn.revision}"
    return f"{turn.commit_status}{revision}, {turn.origin}{took}"


def _call(call: ToolCallRecord) -> str:
    came = _short(call.result)
    if call.error is not None:
        came = f"{call.error.get('code')}: {call.error.get('message')}"
    return (
        f"    {call.tool_name} {_short(call.arguments)}\n"
        f"      {call.status} in {call.duration_ms} ms: {came}\n"
    )


def _short(value: JsonValue) -> str:
    return one_line(value if isinstance(value, str) else dump_json(value), limit=_VALUE)
