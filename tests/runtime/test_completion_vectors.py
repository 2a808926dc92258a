"""The conformance vectors of completion: how a run ends."""

from typing import Any

import pytest

from covel_host.runtime.completion import advance
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
from tests.vectors import load_vectors

READ_ONLY = {"get-character", "list-characters", "memory-search", "weather-front"}
"""Tools of the vectors that are annotated read-only; the README names the business tools."""


def outcome(call: dict[str, Any], position: str) -> CallOutcome:
    result = call["result"]
    return CallOutcome(
        call_id=position,
        tool=call["tool"],
        # The vectors give no arguments; every call gets its own.
        arguments=f'{{"position": "{position}"}}',
        read_only=call["tool"] in READ_ONLY,
        failure=None if result == "ok" else CallFailure(result["error"], result["from"]),
    )


def settings_of(runtime: dict[str, Any]) -> CompletionSettings:
    completion = runtime.get("completion", {})
    settings = CompletionSettings(
        visibility=runtime["visibility"],
        require=completion.get("require"),
        after_tools=tuple(completion.get("afterTools", ())),
    )
    finish_with = runtime.get("finishWith")
    return settings if finish_with is None else with_finish_with(settings, finish_with)


def status_of(decision: Decision) -> str:
    if isinstance(decision, Finish):
        return "success"
    return "suspended" if isinstance(decision, Suspend) else "failed"


def run_agent(vector: dict[str, Any]) -> dict[str, Any]:
    settings, state, corrections = settings_of(vector["runtime"]), CompletionState(), 0
    for index, reply in enumerate(vector["replies"]):
        calls = tuple(
            outcome(call, f"{index}.{place}") for place, call in enumerate(reply.get("calls", ()))
        )
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


def run_function(vector: dict[str, Any]) -> dict[str, Any]:
    calls = [
        outcome(call, f"{index}.{place}")
        for index, reply in enumerate(vector["replies"])
        for place, call in enumerate(reply["calls"])
    ]
    return {"status": settle_function("success", calls).status}


@pytest.mark.parametrize("vector", load_vectors("completion"))
def test_vectors(vector: dict[str, Any]) -> None:
    run = run_function if vector["runtime"]["kind"] == "function" else run_agent
    ended = run(vector)
    expected = {key: ended.get(key) for key in vector["expect"]}
    assert expected == vector["expect"], vector["why"]
