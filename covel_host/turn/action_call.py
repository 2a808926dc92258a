"""The call of an RPC action itself: audit, context, the author's code, its answer."""

import asyncio
import inspect
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Final

from covel_host.base.answer_sizes import size_problem
from covel_host.base.author_calls import (
    AuthorCall,
    AuthorLate,
    AuthorRaised,
    is_authors_own,
    is_cancelled,
    told_apart,
)
from covel_host.base.cancel_signal import CancelSignal
from covel_host.catalog.catalog import Catalog
from covel_host.proposals.at_once import NO_TURN
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.package_call import raised_failure
from covel_host.runtime.result import RunFailure
from covel_host.store.outside_inputs import begin_outside_input, end_outside_input
from covel_host.store.records import OutsideInputOutcome, OutsideInputRecord, SessionRecord
from covel_host.trace.redaction import redact
from covel_host.turn.action_admission import ActionRequest, AdmittedAction
from covel_host.turn.action_context import ActionCallContext
from covel_host.turn.action_store import ActionStoreView
from covel_host.turn.action_writes import ActionWrites, Writer
from covel_host.turn.announcer import Announcer
from covel_host.turn.answers import AnswerTaker
from covel_host.turn.ports import Observer, TurnPorts
from plugin_sdk.errors import ToolValidationError
from plugin_sdk.records import CommandInvocation
from plugin_sdk.values import JsonObject, JsonValue

ACTION_LIMIT_S: Final = 60.0
"""How long an action may take, as long as a function runtime without a limit of its own."""

CANCELLED: Final = RunFailure("cancelled", "The action was cancelled before it had answered.")

Environment = Callable[[SessionRecord, Catalog], JsonObject]
"""Captures what a command asked to know, while nothing else changes the session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionCommand:
    """The player command that leads to an action, and how its environment is captured."""

    invocation: CommandInvocation
    environment: Environment


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionReport:
    """What an action answered; `failure` says why it did not.

    `writes` were committed either way, the last one as `revision`, the session's own now.
    `environment` is that of a command, captured after its action.
    """

    session_id: str
    plugin_id: str
    action: str
    invocation_id: str
    result: JsonValue
    writes: int
    revision: int
    duration_ms: int
    failure: RunFailure | None = None
    environment: JsonObject = field(default_factory=dict)


class ActionCall:
    """One call of an admitted action, made by somebody who holds the session's locks."""

    def __init__(
        self,
        request: ActionRequest,
        admitted: AdmittedAction,
        session: SessionRecord,
        catalog: Catalog,
        ports: TurnPorts,
        observer: Observer,
        command: ActionCommand | None,
    ) -> None:
        self._request = request
        self._admitted = admitted
        self._session = session
        self._catalog = catalog
        self._ports = ports
        self._command = command
        self._announcer = Announcer(
            observer, ports.events, session_id=session.session_id, turn_id=NO_TURN
        )
        self._id = ports.ids.new("action") if command is None else command.invocation.invocation_id
        self._started = ports.clock.monotonic()
        self._life = CallLife("action")
        self._signal = CancelSignal()
        writer = Writer(
            session=session,
            generation=admitted.generation,
            invocation_id=self._id,
            runtime_id=request.runtime_id,
        )
        self._writes = ActionWrites(writer, ports, self._announcer)

    async def run(self, value: object) -> ActionReport:
        """Begin the audit, call, and end it with what came of the call."""
        number = await self._ports.store.transaction(
            lambda transaction: begin_outside_input(transaction, self._audit())
        )
        try:
            result, failure = await self._answer(value, number)
        except asyncio.CancelledError:
            if is_cancelled():
                await self._finished(None, CANCELLED)
                raise
            # Not the caller was cancelled, but the call, such as by closing the host.
            result, failure = None, CANCELLED
        return await self._finished(result, failure)

    async def _answer(self, value: object, number: int) -> tuple[JsonValue, RunFailure | None]:
        action, context = self._admitted.action, self._context(number)
        call = AuthorCall(
            lambda: action.invoke(context, value),
            name=f"action {action.name} of {self._request.plugin_id}",
            is_async=action.is_async,
            tasks=self._ports.tasks,
        )
        try:
            returned = await call.returned(limit_s=ACTION_LIMIT_S)
            if inspect.isawaitable(returned):
                returned = await told_apart(lambda: returned)
            await self._life.uses_ended()
        except AuthorRaised as raised:
            return None, self._raised(raised.error)
        except AuthorLate:
            self._signal.cancel("timeout")
            message = f"{self._subject()} did not finish in {ACTION_LIMIT_S:g} s."
            return None, RunFailure("timeout", message)
        return self._checked(returned)

    def _checked(self, returned: object) -> tuple[JsonValue, RunFailure | None]:
        try:
            answer = self._admitted.action.to_json(returned)
        except ToolValidationError as error:
            message = f"{self._subject()} returned what does not fit its shape: {error.message}"
            return None, RunFailure("internal", message)
        except BaseException as error:  # the result may run code of the package when it is written
            if not is_authors_own(error):
                raise
            return None, self._raised(error)
        problem = size_problem(answer)
        if problem is None:
            return answer, None
        message = f"{self._subject()} returned what is too large: {problem}."
        return None, RunFailure("internal", message)

    def _raised(self, error: BaseException) -> RunFailure:
        root = self._admitted.generation.reading.root
        return raised_failure(error, self._subject(), root=root)

    def _subject(self) -> str:
        return f"The action {self._request.action!r} of {self._request.plugin_id!r}"

    async def _finished(self, result: JsonValue, failure: RunFailure | None) -> ActionReport:
        """End the call's life; writes that are under way end before the locks are given back."""
        self._life.end()
        return await self._ports.tasks.finish(self._end(result, failure), name=f"end {self._id}")

    async def _end(self, result: JsonValue, failure: RunFailure | None) -> ActionReport:
        await self._life.uses_ended()
        duration_ms = round((self._ports.clock.monotonic() - self._started) * 1000)
        error: dict[str, JsonValue] | None = None
        outcome: OutsideInputOutcome = "completed"
        if failure is not None:
            error = {"code": failure.code, "message": failure.message}
            outcome = "cancelled" if failure is CANCELLED else "failed"
        await self._ports.store.transaction(
            lambda transaction: end_outside_input(
                transaction,
                self._session.session_id,
                self._id,
                outcome=outcome,
                result=self._redacted(result),
                error=error,
                duration_ms=duration_ms,
            )
        )
        return ActionReport(
            session_id=self._session.session_id,
            plugin_id=self._request.plugin_id,
            action=self._request.action,
            invocation_id=self._id,
            result=result,
            writes=self._writes.count,
            revision=self._writes.revision,
            duration_ms=duration_ms,
            failure=failure,
            environment=self._environment(),
        )

    def _context(self, number: int) -> ActionCallContext:
        session, generation = self._session, self._admitted.generation
        ports, command = self._ports, self._command
        answers = AnswerTaker(
            session, self._catalog, ports, self._announcer, only_of=generation.plugin_id
        )
        store = ActionStoreView(
            ports.store,
            session,
            plugin_id=generation.plugin_id,
            life=self._life,
            writes=self._writes,
            answers=answers,
        )
        return ActionCallContext(
            generation=generation,
            session_id=session.session_id,
            locale=session.locale,
            action=self._request.action,
            runtime_id=self._request.runtime_id,
            life=self._life,
            store=store,
            writes=self._writes,
            signal=self._signal,
            # Actions may change nothing, so the revision alone would give two calls one stream.
            randomness=ports.randoms.stream(
                "action", session.revision, number, generation.plugin_id, self._request.action
            ),
            clock=ports.clock,
            command=None if command is None else _own_copy(command.invocation),
            environment=self._environment(),
        )

    def _environment(self) -> JsonObject:
        if self._command is None:
            return {}
        session = replace(self._session, revision=self._writes.revision)
        return self._command.environment(session, self._catalog)

    def _audit(self) -> OutsideInputRecord:
        request, command = self._request, self._command
        metadata: JsonObject = {}
        if request.runtime_id is not None:
            metadata["runtimeId"] = request.runtime_id
        if command is not None:
            metadata |= {
                "commandId": command.invocation.command_id,
                "raw": str(self._redacted(command.invocation.raw)),
            }
        return OutsideInputRecord(
            session_id=request.session_id,
            input_id=self._id,
            type="rpc-call" if command is None else "command",
            source=request.source,
            channel=request.channel,
            target=request.action,
            payload=self._redacted(request.payload),
            started_at=self._ports.clock.now(),
            plugin_id=request.plugin_id,
            metadata=metadata,
        )

    def _redacted(self, value: JsonValue) -> JsonValue:
        return redact(value, secrets=self._ports.secrets)


def _own_copy(invocation: CommandInvocation) -> CommandInvocation:
    return replace(invocation, args=deepcopy(invocation.args))
