"""The trace of a turn as JSON."""

from dataclasses import asdict

from pydantic.alias_generators import to_camel

from covel_host.cli.prompt_costs import costs_json, prompt_costs
from covel_host.cli.trace_facts import Prompt, TraceFacts
from covel_host.store.values import time_text
from covel_host.trace.report import Step, totals_of


def trace_json(facts: TraceFacts) -> dict[str, object]:
    """`{turn, totals, steps}`; a step has its `kind`, `status`, `data` and the steps in it."""
    turn = facts.turn
    totals = {to_camel(name): value for name, value in asdict(totals_of(facts.root)).items()}
    return {
        "turn": {
            "sessionId": turn.session_id,
            "turnId": turn.turn_id,
            "sequence": turn.sequence,
            "origin": turn.origin,
            "commitStatus": turn.commit_status,
            "revision": turn.revision,
            "failure": turn.failure,
            "startedAt": time_text(turn.started_at),
            "durationMs": turn.duration_ms,
        },
        "totals": totals,
        "data": facts.root.data,
        "steps": [_step(step) for step in facts.root.steps],
    }


def call_json(facts: TraceFacts, number: int) -> dict[str, object]:
    """The step of one model call."""
    return _step(facts.call(number))


def prompt_json(prompt: Prompt) -> dict[str, object]:
    """`{call, messages, tools, tokens}`, the second and third as they were sent."""
    return {
        "call": _step(prompt.call),
        "messages": prompt.messages,
        "tools": prompt.tools,
        "tokens": costs_json(prompt_costs(prompt)),
    }


def _step(step: Step) -> dict[str, object]:
    told: dict[str, object] = {
        "kind": step.kind,
        "status": step.status,
        "position": step.position,
        "runId": step.run_id,
        "data": step.data,
    }
    if step.number is not None:
        told["number"] = step.number
    if step.kind == "run":
        told["steps"] = [_step(one) for one in step.steps]
    return told
