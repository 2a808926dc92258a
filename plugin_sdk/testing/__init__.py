"""For tests of packages that need no host: contexts, scripted replies, seeded chance, a clock.

Whatever a test does not give fails loudly when it is read (`NotGiven`), so that no test passes by
what it forgot. Tests that need a host use the fixtures of `covel_host.testing`.
"""

from plugin_sdk.testing.clocks import ManualClock
from plugin_sdk.testing.contexts import (
    make_action_context,
    make_form_context,
    make_function_context,
    make_guard_context,
    make_hook_context,
    make_service_context,
    make_tool_context,
)
from plugin_sdk.testing.failures import HostFailure, NotLoaded, Refused, RunFailed, WrongReplies
from plugin_sdk.testing.fixture import Covel
from plugin_sdk.testing.given import NotGiven
from plugin_sdk.testing.members import (
    CalledTools,
    CollectedLog,
    GivenData,
    GivenServices,
    GivenStore,
    GivenWorld,
    ReportedProgress,
    WrittenReplies,
)
from plugin_sdk.testing.replies import call, error_reply, reply
from plugin_sdk.testing.results import (
    Failure,
    JobResult,
    Prompt,
    Question,
    RunResult,
    StagedWrite,
    TakenEvent,
    ToolAnswer,
    TurnResult,
)
from plugin_sdk.testing.running import resolved

__all__ = [
    "CalledTools",
    "CollectedLog",
    "Covel",
    "Failure",
    "GivenData",
    "GivenServices",
    "GivenStore",
    "GivenWorld",
    "HostFailure",
    "JobResult",
    "ManualClock",
    "NotGiven",
    "NotLoaded",
    "Prompt",
    "Question",
    "Refused",
    "ReportedProgress",
    "RunFailed",
    "RunResult",
    "StagedWrite",
    "TakenEvent",
    "ToolAnswer",
    "TurnResult",
    "WrittenReplies",
    "WrongReplies",
    "call",
    "error_reply",
    "make_action_context",
    "make_form_context",
    "make_function_context",
    "make_guard_context",
    "make_hook_context",
    "make_service_context",
    "make_tool_context",
    "reply",
    "resolved",
]
