"""The facts of one tool call: what is asked, on whose behalf, and what came of it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.json_text import JsonTextError, parse_json
from covel_host.base.unicode_text import storable_text
from covel_host.proposals.operations import Operation
from covel_host.proposals.staged import StagedProposal
from covel_host.proposals.staging import Staging
from covel_host.store.records import ToolCallStatus
from covel_host.tools.approval import ApprovalStatus
from covel_host.tools.refusals import RaisedBy, is_refused
from covel_host.tools.registry import RegisteredTool, ToolSource
from covel_host.trace.log import RunTrace
from plugin_sdk.context import ToolContext
from plugin_sdk.errors import FieldProblem, ToolErrorCode
from plugin_sdk.outcomes import Event
from plugin_sdk.proposals import Proposal
from plugin_sdk.rules.instruction_locale import InstructionLocale
from plugin_sdk.values import JsonValue


# Not frozen, like all that is made for each call: freezing takes longer than a small tool.
@dataclass(slots=True)
class ToolRequest:
    """One call as the caller wrote it; `arguments` is text, valid JSON or not.

    `name` is the final one, after every replacement by the session or a hook; `position` counts
    the calls of the run from 0, and with it the call's random stream.
    """

    position: int
    call_id: str
    name: str
    arguments: str


class OpenCall(Protocol):
    """What one call may read, for the time of the call."""

    @property
    def context(self) -> ToolContext:
        """The object the tool gets."""
        ...

    @property
    def writes(self) -> Operation | None:
        """What services that the call used want written; None while it has used none."""
        ...

    def reads_ended(self) -> Awaitable[None]:
        """Return when every read that was begun has ended, those nobody awaits included."""
        ...

    def close(self) -> None:
        """Withdraw every capability; reads under way give nothing any more."""
        ...


@dataclass(frozen=True, slots=True)
class CallScope:
    """On whose behalf calls are made: one runtime run.

    `authorized` holds every name the run may call (seed: 授权), `tools` what these names mean,
    resolved once for the whole run; `absent` are those of them that mean none in it, each with the
    sentence that says why. `open_call` makes what one call may read, with the call's own
    signal: it is cancelled when the call runs into its limit, the run is cancelled (`signal`) or
    the executor closes. What a call wants written goes to `staging`.
    """

    plugin_id: str
    runtime_id: str
    instruction_locale: InstructionLocale
    authorized: frozenset[str]
    tools: Mapping[str, RegisteredTool]
    signal: CancelSignal
    trace: RunTrace
    staging: Staging
    open_call: Callable[[ToolRequest, CancelSignal], OpenCall]
    absent: Mapping[str, str] = field(default_factory=dict)


class CallError(Exception):
    """Why a call failed.

    `message` and `hint` are what a person or code reads; the envelope makes of them what the model
    gets. `raised_by`: see `refusals`; `loop` is never said here. `is_authored`: the text was
    written for the model, in a `ToolError`. `returned` is what the audit keeps of a result that was
    no JSON. `cause` is the full story for the log.
    """

    def __init__(
        self,
        code: ToolErrorCode,
        message: str,
        hint: str | None = None,
        *,
        raised_by: RaisedBy = "host",
        is_authored: bool = False,
        details: tuple[FieldProblem, ...] = (),
        returned: JsonValue = None,
        cause: BaseException | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        # A file name of the operating system may stand in it that cannot be stored.
        self.message = storable_text(message)
        self.hint = None if hint is None else storable_text(hint)
        self.raised_by = raised_by
        self.is_authored = is_authored
        self.details = details
        self.returned = returned
        self.cause = cause

    @property
    def is_refused(self) -> bool:
        """The `refused` flag of audit and trace: the run that called is not blamed."""
        return is_refused(self.code, self.raised_by)

    @property
    def told_details(self) -> list[JsonValue]:
        """`details` as audit and trace show them."""
        # Authors make some of them, so neither member need be a text that can be stored.
        return [
            {"path": storable_text(str(one.path)), "message": storable_text(str(one.message))}
            for one in self.details
        ]


@dataclass(slots=True)
class ToolCallResult:
    """What came of one call; the executor's one record of it, filled in while the call goes on.

    `envelope` is the JSON text the model reads, `content` the full value for code (None after a
    failure), `history_arguments` the argument text the model history keeps. `approval` is what the
    host's rules said, None of a call that never came so far. `events` and `shows` wait for the
    end of the run: domain events, and what the player is asked and shown. `unwritten_arguments` are
    what the audit keeps in place of that text: those that code gave and no text could hold, or
    those of a character without what is meant for it alone. `shown_envelope` is what records show
    in place of the envelope, where that is less.
    """

    request: ToolRequest
    started_at: datetime
    status: ToolCallStatus = "failed"
    envelope: str = ""
    duration_ms: int = 0
    history_arguments: str = ""
    source: ToolSource | None = None
    approval: ApprovalStatus | None = None
    content: JsonValue = None
    error: CallError | None = None
    proposals: tuple[StagedProposal, ...] = ()
    events: tuple[Event, ...] = ()
    shows: tuple[Proposal, ...] = ()
    unwritten_arguments: JsonValue = None
    shown_envelope: str | None = None

    @property
    def arguments(self) -> JsonValue:
        """What the function got, or the model's text where it could not be read."""
        if self.unwritten_arguments is not None:
            return self.unwritten_arguments
        try:
            return parse_json(self.history_arguments)
        except JsonTextError:
            return self.history_arguments


def denied_call(tool_name: str) -> CallError:
    """Why a call that the host's rules deny is not run."""
    return CallError("refused", f'A rule of this host denies the tool "{tool_name}".')


class CallCancelled(asyncio.CancelledError):
    """The caller was cancelled while a call ran; `result` is what the audit keeps of the call."""

    def __init__(self, result: ToolCallResult) -> None:
        super().__init__()
        self.result = result
