"""Why a runtime runs in the next turn of a session, or does not, in words."""

from typing import Final

from covel_host.turn.schedule_types import (
    CommittedRuns,
    RuntimeDeclaration,
    Situation,
    SkipReason,
)

_SKIPPED: Final[dict[SkipReason, str]] = {
    "setup-incomplete": "the setup of its package is not finished",
    "setup-session-cycle": "it and other setup runtimes wait for each other",
    "dependency-cycle": "it waits for a runtime that waits for it",
    "dimension-snapshot-unavailable": "the world's dimensions would be missing",
    "need-unmet": "what it needs is not there",
    "input-unmet": "nobody gives a required input of it",
    "session-need-unmet": "it needs another setup runtime to be done",
}


def why_selected(declaration: RuntimeDeclaration) -> str:
    """Why it runs."""
    if declaration.stage == "setup":
        return "its setup is not done"
    if declaration.trigger.kind == "scheduled":
        return f"every {declaration.trigger.interval} turns"
    return "every turn"


def why_not_selected(
    declaration: RuntimeDeclaration, situation: Situation, skipped: SkipReason | None
) -> tuple[str, str]:
    """A stable code and the words; `skipped` is what scheduling said, None when it was not asked.

    The first reason that holds is given, in the order in which they are looked at.
    """
    if skipped is not None:
        return skipped, _SKIPPED[skipped]
    if declaration.stage == "setup":
        state = situation.setup_state(declaration.runtime_id)
        return f"setup-{state}", f"its setup is {state}"
    trigger, turn = declaration.trigger, situation.logical_turn
    if trigger.kind == "manual":
        return "manual", "it is started by hand"
    if trigger.kind == "event":
        return "event", f"it waits for the event {trigger.topic!r}"
    if situation.phase == "setup":
        return "setup-phase", "the session is in its setup"
    if trigger.kind == "scheduled" and turn % trigger.interval:
        next_turn = turn + trigger.interval - turn % trigger.interval
        return "interval", f"every {trigger.interval} turns, next in turn {next_turn}"
    return _gate(declaration, situation.ledger.get(declaration.runtime_id), turn)


def _gate(
    declaration: RuntimeDeclaration, runs: CommittedRuns | None, turn: int
) -> tuple[str, str]:
    trigger = declaration.trigger
    if turn < trigger.start_turn:
        return "start-turn", f"not before turn {trigger.start_turn}"
    if runs is not None and trigger.max_runs is not None and runs.runs >= trigger.max_runs:
        return "max-trigger-count", f"it has run {runs.runs} of {trigger.max_runs} times"
    last = 0 if runs is None else runs.last_turn
    return "cooldown", f"it rests until turn {last + trigger.cooldown_turns}"
