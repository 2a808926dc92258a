"""What the catalog registers is what the dispatcher takes."""

import asyncio

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import SystemClock
from covel_host.base.tasks import TaskTracker
from covel_host.catalog.registered_hook import RegisteredHook
from covel_host.hooks.dispatcher import HookDispatcher
from covel_host.hooks.hook import Hook, HookFacts
from covel_host.trace.log import TraceLog
from plugin_sdk.hook_events import ToolCall
from plugin_sdk.hooks import HookResult, abort
from tests.hooks.support import ring


def test_a_registered_hook_is_called() -> None:
    def pre_tool_use(call: ToolCall) -> HookResult:
        return abort(f"no {call.name}")

    registered: Hook = RegisteredHook(
        plugin_id="bells",
        event="pre_tool_use",
        function=pre_tool_use,
        function_name="pre_tool_use",
        arguments=("call",),
    )
    log = TraceLog(turn_id="turn-1", clock=SystemClock())
    dispatcher = HookDispatcher(
        [registered],
        active_plugin_ids=["bells"],
        session_id="session-1",
        turn_id="turn-1",
        locale="en",
        tasks=TaskTracker(),
        clock=SystemClock(),
    )
    facts = HookFacts(signal=CancelSignal(), trace=log.of_run("run-1"))
    outcome = asyncio.run(dispatcher.dispatch("pre_tool_use", ring(), facts))
    assert outcome.aborted == "no ring-bell"
    assert [event.run_id for event in log.events] == ["run-1"]
