"""`completion.json`: how a run ends."""

from typing import Any

from covel_host.runtime.completion import advance, batch_ends
from covel_host.runtime.completion_calls import CallFailure, CallOutcome
from covel_host.runtime.completion_function import settle_function
from covel_host.runtime.completion_settings import CompletionSettings, with_finish_with
from covel_host.runtime.completion_state import (
    CompletionState,
    Continue,
    Correct,
    Decision,
    Fail,
    Finish,
    Replied,
    Suspend,
)

READ_ONLY = frozenset(
    {
        "get-character",
        "list-characters",
        "memory-search",
        "search-tools",
        "weather-front",
        "world-dimension-get",
        "world-dimension-list",
    }
)
"""Annotations are no part of the vectors: the reading framework tools, and a read service."""


def check(vector: dict[str, Any]) -> None:
    run = run_function if vector["runtime"]["kind"] == "function" else run_agent
    ended = run(vector)
    for member, wanted in vector["expect"].items():
        assert ended[member] == wanted, (member, ended)


def run_agent(vector: dict[str, Any]) -> dict[str, Any]:
    settings, state, corrections = settings_of(vector["runtime"]), CompletionState(), 0
    for index, reply in enumerate(vector["replies"]):
        calls = run_calls(settings, state, outcomes_of(reply, index))
        state, decision = advance(settings, state, Replied(reply.get("text", ""), calls))
        corrections += isinstance(decision, Correct)
        if not isinstance(decision, Continue | Correct):
            return {
                "status": status_of(decision),
                "reason": decision.reason if isinstance(decision, Fail) else None,
                "replies_used": index + 1,
                "corrections": corrections,
            }
    raise AssertionError("the run wants more replies than the vector has")


def run_calls(
    settings: CompletionSettings, state: CompletionState, calls: tuple[CallOutcome, ...]
) -> tuple[CallOutcome, ...]:
    """The calls that the loop runs: none behind the one that ends the run."""
    count = 1
    while count < len(calls) and not batch_ends(settings, state, calls[:count]):
        count += 1
    return calls[:count]


def run_function(vector: dict[str, Any]) -> dict[str, Any]:
    replies = vector["replies"]
    calls = [one for index, reply in enumerate(replies) for one in outcomes_of(reply, index)]
    settled = settle_function("success", calls)
    return {
        "status": settled.status,
        "reason": None,
        "replies_used": len(replies),
        "corrections": 0,
    }


def outcomes_of(reply: dict[str, Any], index: int) -> tuple[CallOutcome, ...]:
    return tuple(
        CallOutcome(
            call_id=f"{index}.{place}",
            tool=call["tool"],
            # The vectors give no arguments; every call gets its own.
            arguments=f'{{"position": "{index}.{place}"}}',
            read_only=call["tool"] in READ_ONLY,
            failure=failure_of(call.get("result", "ok")),
        )
        for place, call in enumerate(reply.get("calls", ()))
    )


def failure_of(result: Any) -> CallFailure | None:
    return None if result == "ok" else CallFailure(result["error"], result["from"])


def settings_of(runtime: dict[str, Any]) -> CompletionSettings:
    completion = runtime.get("completion", {})
    settings = CompletionSettings(
        visibility=runtime.get("visibility", "plugin"),
        require=completion.get("require"),
        after_tools=tuple(completion.get("afterTools", ())),
    )
    finish_with = runtime.get("finishWith")
    return settings if finish_with is None else with_finish_with(settings, finish_with)


def status_of(decision: Decision) -> str:
    if isinstance(decision, Finish):
        return "success"
    return "suspended" if isinstance(decision, Suspend) else "failed"


CHECKS = {None: check}
