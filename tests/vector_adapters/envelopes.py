"""`envelopes.json`: what the model reads after a tool call."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, cast

from covel_host.base.cancel_signal import CancelSignal
from covel_host.tools.calls import CallScope, ToolCallResult, ToolRequest
from covel_host.tools.envelope import failure_envelope, success_envelope
from covel_host.tools.envelope_texts import absent_import_text
from covel_host.tools.executor import ToolExecutor
from covel_host.tools.registry import RegisteredTool
from covel_host.trace.log import TraceLog
from plugin_sdk.errors import ToolError
from plugin_sdk.outcomes import Event
from plugin_sdk.proposals import PROPOSAL_MODELS
from plugin_sdk.results import ModelView, with_emitted_events, with_pending_proposals
from plugin_sdk.rules.instruction_locale import instruction_locale_for
from plugin_sdk.testing import ManualClock
from plugin_sdk.tools import tool
from tests.vector_adapters.comparing import same_json

PLUGIN_ID = "moss-ledger"


def check_success(vector: dict[str, Any]) -> None:
    outcome = vector["outcome"]
    view = outcome.get("view")
    text = success_envelope(
        outcome.get("content"),
        view=None
        if view is None
        else ModelView(view.get("summary"), view.get("data"), has_data="data" in view),
        proposal_types=[proposal["type"] for proposal in outcome.get("proposals", ())],
        event_count=len(outcome.get("events", ())),
        language=instruction_locale_for(vector.get("locale", "en"), vector.get("env", {})),
    )
    envelope = json.loads(text)
    assert same_json(envelope, vector["model"]), text
    assert list(envelope) == list(vector["model"]), text


def check_failure(vector: dict[str, Any]) -> None:
    raised = vector["raises"]

    def fail() -> None:
        if raised["type"] == "ToolError":
            raise ToolError(raised["code"], raised["message"], hint=raised.get("hint"))
        raise RuntimeError(raised["message"])

    result = called(vector["tool"], fail)
    envelope = json.loads(result.envelope)
    if "model" in vector:
        assert same_json(envelope, vector["model"]), result.envelope
        return
    code, message = envelope["error"]["code"], envelope["error"]["message"]
    assert code == vector.get("code", code)
    assert message.startswith(vector.get("message_prefix", "")), message
    assert len(message) <= vector.get("message_max", len(message))


def check_read_only_write(vector: dict[str, Any]) -> None:
    outcome = vector["outcome"]

    def write() -> object:
        # Only the types matter, so the payloads stay unset.
        made = [PROPOSAL_MODELS[one["type"]].model_construct() for one in outcome["proposals"]]
        given = with_pending_proposals(outcome.get("content"), made)
        events = [Event(one["topic"], one.get("data")) for one in outcome.get("events", ())]
        return with_emitted_events(given, events)

    outcome.setdefault("proposals", ())
    result = called(vector["tool"], write, read_only=True)
    error = json.loads(result.envelope)["error"]
    assert error["code"] == vector["code"]
    assert vector["message_contains"] in error["message"]
    assert result.proposals == ()


def check_absent_import(vector: dict[str, Any]) -> None:
    message = absent_import_text(vector["tool"], vector["contract"], vector["reason"])
    error = json.loads(failure_envelope(vector["tool"], "unavailable", message))["error"]
    assert same_json(error, {"code": vector["code"], "message": vector["message"]})


def called(name: str, function: Callable[[], object], *, read_only: bool = False) -> ToolCallResult:
    """One call of a tool `name` that does what `function` does, through the executor."""

    async def run() -> object:
        """A tool of the vectors."""
        return function()

    made = tool(name=name, read_only=read_only)(run)
    executor = ToolExecutor(clock=ManualClock())
    scope = scope_of(name, RegisteredTool(made, "local"))
    return asyncio.run(executor.call(ToolRequest(0, "call-1", name, "{}"), scope))


class OpenCall:
    """A call that reads nothing."""

    context = cast(Any, None)
    writes = None

    async def reads_ended(self) -> None:
        return

    def close(self) -> None:
        return


def scope_of(name: str, tool: RegisteredTool) -> CallScope:
    """A run that may call `name`; a call that reaches its staging ends in an error."""
    return CallScope(
        plugin_id=PLUGIN_ID,
        runtime_id=f"{PLUGIN_ID}/tally",
        instruction_locale="en",
        authorized=frozenset({name}),
        tools={name: tool},
        signal=CancelSignal(),
        trace=TraceLog(turn_id="turn-1", clock=ManualClock()).of_run("run-1"),
        staging=cast(Any, None),
        open_call=lambda request, signal: OpenCall(),
    )


CHECKS = {
    "success": check_success,
    "failure": check_failure,
    "read_only_write": check_read_only_write,
    "absent_import": check_absent_import,
}
