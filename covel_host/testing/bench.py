"""What the `covel` fixture gives: a package under test, run through a private host.

The methods are described in `plugin_sdk.testing.fixture.Covel`.
"""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from covel_host.base.json_text import dump_json
from covel_host.host import Host
from covel_host.proposals.seats import DEFAULT_SEAT_ID
from covel_host.runtime.run import SingleCall
from covel_host.store.suspensions import SuspensionRecord
from covel_host.testing.direct_calls import DirectCalls
from covel_host.testing.private_host import EventTaker, PrivateHost
from covel_host.testing.private_settings import PrivateHostOptions, private_plan
from covel_host.testing.results import job_result, run_result, tool_answer
from covel_host.testing.session_data import (
    all_messages,
    all_records,
    jobs_of,
    put_records,
)
from covel_host.testing.tracebacks import is_told
from covel_host.turn.action_admission import ActionRequest
from covel_host.turn.action_call import ActionReport
from covel_host.turn.admission import ManualRequest
from covel_host.turn.answer_checks import Answer
from covel_host.turn.answering import AnswersRequest
from covel_host.turn.commands import CommandHelp, CommandRequest
from covel_host.turn.execution_report import ExecutionReport
from covel_host.turn.open_questions import OpenQuestion, open_questions
from covel_host.turn.resuming import ResumeRequest
from covel_host.turn.session_setting_changes import set_setting
from covel_host.turn.suspension_listing import list_suspensions
from covel_host.turn.turns import TurnRequest
from plugin_sdk.testing.clocks import ManualClock
from plugin_sdk.testing.failures import Refused, RunFailed
from plugin_sdk.testing.fixture import Replies
from plugin_sdk.testing.results import (
    JobResult,
    Prompt,
    Question,
    RunResult,
    TakenEvent,
    ToolAnswer,
    TurnResult,
)
from plugin_sdk.values import JsonObject, JsonValue

__tracebackhide__ = is_told

Value = TypeVar("Value")


class PackageBench:
    """The package at `path` in a host of its own; closed with `close`."""

    def __init__(self, path: Path, options: PrivateHostOptions) -> None:
        self.path = path
        self._private = PrivateHost(private_plan(path, options))
        self._direct = DirectCalls(self._private.generation, locale=options.locale)
        self._session_id: str | None = None

    def close(self) -> None:
        """Close the host; nothing of it is left."""
        self._private.close()

    @property
    def plugin_id(self) -> str:
        return self.path.name

    @property
    def clock(self) -> ManualClock:
        return self._private.clock

    @property
    def events(self) -> Sequence[TakenEvent]:
        return tuple(self._private.taker.events)

    @property
    def session_id(self) -> str:
        if self._session_id is None:
            made = self._host.open_session(self._private.packages)
            self._session_id = self._private.wait(made)
        return self._session_id

    def run(
        self,
        runtime: str | None = None,
        *,
        payload: JsonValue = None,
        message: str | None = None,
        replies: Replies = (),
    ) -> RunResult:
        request = ManualRequest(
            target=self.plugin_id if runtime is None else self._runtime_id(runtime),
            payload=payload,
            message=message,
            session_id=self.session_id,
        )
        with_events = _Since(self._private)
        report = self._played(lambda: self._host.run(request, observer=self._taker), replies)
        return _only(report, with_events)

    def turn(
        self,
        message: str | None = None,
        *,
        answers: Mapping[str, JsonObject] | None = None,
        replies: Replies = (),
    ) -> TurnResult:
        given = tuple(self._answer(name, fields) for name, fields in (answers or {}).items())
        request = TurnRequest(
            session_id=self.session_id,
            message=message,
            start=message is None and not given,
            answers=given,
        )
        since = _Since(self._private)
        report = self._played(lambda: self._host.play(request, observer=self._taker), replies)
        runs = tuple(
            run_result(result) for execution in report.executions for result in execution.results
        )
        turn = TurnResult(runs=runs, prompts=since.prompts, events=since.events)
        if report.failure is not None:
            raise _failed(report.failure, turn)
        return turn

    def tool(self, name: str, arguments: JsonObject | None = None, /, **named: Any) -> ToolAnswer:
        call = SingleCall(name, dump_json({**(arguments or {}), **named}))
        request = ManualRequest(target=self.plugin_id, session_id=self.session_id, call=call)
        report = self._played(lambda: self._host.run(request, observer=self._taker), ())
        answers = [tool_answer(made) for made in report.result.tool_calls]
        answer = answers[0] if answers else None
        if answer is not None and answer.failure is not None:
            raise _failed(answer.failure, answer)
        if report.failure is not None or answer is None:
            raise _failed(report.failure, answer)
        return answer

    def rpc(self, action: str, payload: JsonValue = None) -> JsonValue:
        request = ActionRequest(
            session_id=self.session_id,
            plugin_id=self.plugin_id,
            action=action,
            payload={} if payload is None else payload,
        )
        report = self._played(lambda: self._host.run_action(request, observer=self._taker), ())
        return _answered(report)

    def command(self, line: str) -> JsonValue:
        request = CommandRequest(session_id=self.session_id, line=line)
        report = self._played(lambda: self._host.run_command(request, observer=self._taker), ())
        return report.text if isinstance(report, CommandHelp) else _answered(report.action)

    def questions(self) -> list[Question]:
        return [
            Question(
                interaction_id=asked.interaction_id,
                type=asked.question.type,
                text=asked.text,
                shown=asked.question.model_dump(mode="json", by_alias=True, exclude_none=True),
            )
            for asked in self._open_questions()
        ]

    def answer(self, interaction_id: str, fields: JsonObject) -> str:
        request = AnswersRequest(
            session_id=self.session_id,
            answers=(self._answer(interaction_id, fields),),
            seat_id=DEFAULT_SEAT_ID,
        )
        report = self._played(lambda: self._host.answer(request, observer=self._taker), ())
        return report.stored[0].narrative

    def resume(self, data: JsonValue = None, *, replies: Replies = ()) -> RunResult:
        request = ResumeRequest(
            session_id=self.session_id,
            suspension_id=self._waiting().suspension_id,
            data=data,
        )
        since = _Since(self._private)
        report = self._played(lambda: self._host.resume(request, observer=self._taker), replies)
        return _only(report, since)

    def run_jobs(self, *, replies: Replies = ()) -> list[JobResult]:
        session_id = self.session_id
        ended = {job.job_id for job in jobs_of(self._host, session_id) if job.finished_at}
        self._played(lambda: self._host.drain_jobs(session_id, observer=self._taker), replies)
        jobs = jobs_of(self._host, session_id)
        return [job_result(job) for job in jobs if job.job_id not in ended]

    def data(self, namespace: str, *, plugin_id: str | None = None) -> dict[str, JsonValue]:
        return all_records(self._host, self.session_id, plugin_id or self.plugin_id, namespace)

    def put_data(self, namespace: str, records: Mapping[str, JsonValue]) -> None:
        self._private.wait(
            put_records(self._host, self.session_id, self._private.generation, namespace, records)
        )

    def set(self, key: str, value: JsonValue) -> None:
        self._private.wait(
            set_setting(
                self._host.ports,
                self.session_id,
                self.plugin_id,
                key,
                value,
                catalog=self._host.catalog,
                slots=(),
            )
        )

    def messages(self) -> list[tuple[str, str]]:
        return all_messages(self._host, self.session_id)

    def module(self, path: str) -> ModuleType:
        return self._direct.module(path)

    def call_tool(self, name: str, arguments: JsonObject | None = None, /, **context: Any) -> Any:
        return self._direct.tool(name, arguments or {}, context)

    def call_action(self, name: str, payload: JsonValue = None, /, **context: Any) -> Any:
        return self._direct.action(name, {} if payload is None else payload, context)

    def call_service(self, name: str, value: JsonValue = None, /, **context: Any) -> Any:
        return self._direct.service(name, {} if value is None else value, context)

    def call_validator(
        self, name: str, fields: Mapping[str, object], data: object = None, /
    ) -> list[tuple[str | None, str]]:
        return self._direct.validator(name, fields, data)

    def call_handler(self, runtime: str | None = None, /, **context: Any) -> Any:
        return self._direct.handler(self._runtime_id(runtime), context)

    def call_guard(self, runtime: str | None = None, /, **context: Any) -> Any:
        return self._direct.guard(self._runtime_id(runtime), context)

    @property
    def _host(self) -> Host:
        return self._private.host

    @property
    def _taker(self) -> EventTaker:
        return self._private.taker

    def _played(self, begin: Callable[[], Coroutine[Any, Any, Value]], replies: Replies) -> Value:
        """What the work gives that `begin` begins, while the model plays `replies`, all of them."""
        self._private.model.give(replies)
        done = self._private.wait(begin())
        self._private.model.check()
        return done

    def _runtime_id(self, written: str | None) -> str:
        runtimes = self._private.runtime_ids
        if written is None and len(runtimes) == 1:
            return runtimes[0]
        if written is None:
            listed = ", ".join(runtimes) or "none"
            raise Refused(
                f"The package {self.plugin_id!r} has {len(runtimes)} runtimes; name one.",
                code="runtime-ambiguous",
                hint=f"It has: {listed}.",
            )
        return self._private.runtime_id(written)

    def _open_questions(self) -> list[OpenQuestion]:
        session_id = self.session_id
        return self._host.ports.store.read_now(lambda reading: open_questions(reading, session_id))

    def _answer(self, interaction_id: str, fields: JsonObject) -> Answer:
        asked = self._open_questions()
        for question in asked:
            if question.interaction_id == interaction_id:
                return question.answer(dict(fields))
        known = ", ".join(repr(question.interaction_id) for question in asked) or "none"
        raise Refused(
            f"No open question is called {interaction_id!r}.",
            code="interaction-not-found",
            hint=f"Open are: {known}.",
        )

    def _waiting(self) -> SuspensionRecord:
        waiting = self._private.wait(list_suspensions(self._host.ports.store, self.session_id))
        if len(waiting) == 1:
            return waiting[0]
        listed = ", ".join(one.runtime_id for one in waiting) or "none"
        raise Refused(
            f"One suspended run was expected; there are {len(waiting)}.",
            code="suspension-not-found",
            hint=f"Waiting: {listed}.",
        )


class _Since:
    """What was asked and told from now on."""

    def __init__(self, private: PrivateHost) -> None:
        self._private = private
        self._prompts = len(private.model.prompts)
        self._events = len(private.taker.events)

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        return tuple(self._private.model.prompts[self._prompts :])

    @property
    def events(self) -> tuple[TakenEvent, ...]:
        return tuple(self._private.taker.events[self._events :])


def _only(report: ExecutionReport, since: _Since) -> RunResult:
    """The run that was asked for, with those that followed; a failure of it is raised."""
    result = run_result(
        report.result,
        prompts=since.prompts,
        events=since.events,
        followers=[run_result(follower) for follower in report.results[1:]],
    )
    failure = report.failure or report.result.failure
    if failure is not None:
        raise _failed(failure, result)
    return result


def _answered(report: ActionReport) -> JsonValue:
    if report.failure is not None:
        raise _failed(report.failure, None)
    return report.result


def _failed(failure: Any, result: Any) -> RunFailed:
    if failure is None:
        return RunFailed("The call was not made.", code="internal", result=result)
    return RunFailed(failure.message, code=failure.code, hint=failure.hint, result=result)
