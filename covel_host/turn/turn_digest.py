"""`turn-digest@1`: what an execution has seen so far, as an input (spec/execution.md 9.5)."""

from collections.abc import Iterable

from covel_host.runtime.completion_prose import sanitize_prose
from covel_host.runtime.shown_result import shown_result
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.finished_runs import FinishedRuns
from plugin_sdk.values import JsonObject, JsonValue


def turn_digest(facts: ExecutionFacts, finished: FinishedRuns) -> JsonObject:
    """The digest as the execution is now; whoever is given it keeps it to its end.

    Of concealed runtimes only the status is in it.
    """
    last = facts.frozen.last_input
    results = [shown_result(run.result) for run in finished.runs]
    return {
        "turnId": facts.turn_id,
        "playerMessage": facts.input.message,
        "locale": facts.session.locale,
        "narrativeText": _narrative(finished),
        "toolCallSummaries": [
            {
                "runtimeId": result.runtime_id,
                "toolName": call.request.name,
                "status": call.status,
            }
            for result in results
            for call in result.tool_calls
        ],
        "lastPlayerInput": None
        if last is None
        else {
            "id": last.id,
            "sessionId": facts.session.session_id,
            "turnId": last.turn_id,
            "formId": last.form_id,
            "values": last.values,
            "createdAt": last.created_at.isoformat(),
        },
        "runtimeResults": _statuses((one.runtime_id, one.status) for one in results),
    }


def _narrative(finished: FinishedRuns) -> str:
    texts = (text for run in finished.runs if run.is_told_story for text in run.prose)
    return "\n\n".join(filter(None, map(sanitize_prose, texts)))


def _statuses(results: Iterable[tuple[str, str]]) -> list[JsonValue]:
    return [{"runtimeId": runtime_id, "status": status} for runtime_id, status in results]
