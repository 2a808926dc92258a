"""One runtime case played: through the real entry, executor and commit (spec/manifest.md 14.3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from covel_host.base.json_text import dump_json
from covel_host.models.messages import ModelReply, ModelRequest, TextDelta
from covel_host.models.port import PieceSink
from covel_host.models.scripted import ScriptedModel
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.store.jobs import JobRecord
from covel_host.testing.case_file import RuntimeCase
from covel_host.testing.private_host import PrivateHost
from covel_host.testing.private_settings import Plan
from covel_host.testing.session_data import all_records, jobs_of
from covel_host.turn.admission import ManualRequest
from covel_host.turn.execution_report import ExecutionReport
from covel_host.turn.session_setting_changes import set_setting
from plugin_sdk.testing.failures import HostFailure

MOCK_TEXT: Final = "Mock reply."
"""What a model says in mode `mock` when a case has no replies; it calls no tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOutcome:
    """What became of a case; it passed when there are no `problems`.

    `results` are those of the execution, `jobs` what it queued and how that ended. `requests`
    counts the model's. Without a commit `commit_error` says why.
    """

    name: str
    problems: tuple[str, ...]
    results: tuple[RuntimeResult, ...] = ()
    jobs: tuple[JobRecord, ...] = ()
    commit_error: RunFailure | None = None
    requests: int = 0

    @property
    def is_committed(self) -> bool:
        """Whether the execution took place and was committed."""
        return bool(self.results) and self.commit_error is None

    @property
    def has_passed(self) -> bool:
        """Whether everything was as the case expects it."""
        return not self.problems


def play_case(case: RuntimeCase, plan: Plan, *, is_live: bool = False) -> CaseOutcome:
    """Run a case in a host of its own; with `is_live` the configured models answer."""
    try:
        private = PrivateHost(plan, is_live=is_live)
    except HostFailure as error:
        return CaseOutcome(name=case.name, problems=(str(error),))
    try:
        return _played(case, private, is_live=is_live)
    except HostFailure as error:
        return CaseOutcome(name=case.name, problems=(str(error),))
    finally:
        private.close()


def _played(case: RuntimeCase, private: PrivateHost, *, is_live: bool) -> CaseOutcome:
    # A case is a run of its own, in which no model is offered events (seed: 装配).
    private.host.ports = replace(private.host.ports, offers_events=False)
    script = None if case.llm_responses is None else _script(case)
    private.model.answer_with(script or _MockModel())
    session_id = private.wait(private.host.open_session(private.packages))
    for key, value in case.user_settings.items():
        changed = set_setting(
            private.host.ports,
            session_id,
            private.plugin_id,
            key,
            value,
            catalog=private.host.catalog,
            slots=(),
        )
        private.wait(changed)
    request = ManualRequest(
        target=case.plugin_id or private.plugin_id
        if case.runtime_id is None
        else private.runtime_id(case.runtime_id),
        payload=case.payload,
        message=case.message,
        session_id=session_id,
    )
    report = private.wait(private.host.run(request, observer=private.taker))
    queued = [job.job_id for job in jobs_of(private.host, session_id)]
    private.wait(private.host.drain_jobs(session_id, observer=private.taker))
    jobs = tuple(job for job in jobs_of(private.host, session_id) if job.job_id in queued)
    problems = [
        *_run_problems(case, report),
        *_job_problems(case, jobs),
        *_data_problems(case, private, session_id),
        *([] if script is None or is_live else _reply_problems(case, script)),
    ]
    return CaseOutcome(
        name=case.name,
        problems=tuple(problems),
        results=report.results,
        jobs=jobs,
        commit_error=report.failure,
        requests=sum(result.model_use.calls for result in report.results),
    )


def _run_problems(case: RuntimeCase, report: ExecutionReport) -> list[str]:
    expected = {one.runtime_id: one.status for one in case.expect.runtime_results}
    problems = []
    seen = {result.runtime_id: result for result in report.results}
    for runtime_id, status in expected.items():
        result = seen.get(runtime_id)
        if result is None:
            ran = ", ".join(seen) or "none"
            problems.append(f"{runtime_id}: expected {status}; it did not run. Ran: {ran}.")
        elif result.status != status:
            problems.append(f"{runtime_id}: expected {status}; {_told(result)}")
    for runtime_id, result in seen.items():
        if result.status == "failed" and runtime_id not in expected:
            problems.append(f"{runtime_id}: {_told(result)}")
    failure = report.failure
    if failure is not None and not _is_expected(failure, report, expected):
        problems.append(f"Nothing was committed: {failure.message} ({failure.code})")
    return problems


def _is_expected(failure: RunFailure, report: ExecutionReport, expected: Mapping[str, str]) -> bool:
    """Whether a run that was expected to fail is why nothing was committed."""
    return any(
        result.failure is not None
        and result.failure.code == failure.code
        and expected.get(result.runtime_id) == "failed"
        for result in report.results
    )


def _told(result: RuntimeResult) -> str:
    told = f"it is {result.status}"
    if result.failure is not None:
        return f"{told}: {result.failure.message} ({result.failure.code})"
    return f"{told}: {result.reason}." if result.reason else f"{told}."


def _job_problems(case: RuntimeCase, jobs: Sequence[JobRecord]) -> list[str]:
    if case.expects_background_follower and not jobs:
        return ["A background follower was expected; nothing was queued (follower-not-emitted)."]
    expected = {one.runtime_id: one.status for one in case.expect.runtime_results}
    return [
        f"The job of {job.runtime_id} ended as {job.state}: {_reason(job)}"
        for job in jobs
        if job.state != "succeeded" and expected.get(job.runtime_id) != "failed"
    ]


def _reason(job: JobRecord) -> str:
    failure = job.failure or {}
    return f"{failure.get('message', 'no reason is known.')} ({failure.get('code', job.state)})"


def _data_problems(case: RuntimeCase, private: PrivateHost, session_id: str) -> list[str]:
    problems = []
    for wanted in case.expect.plugin_data:
        plugin_id = wanted.plugin_id or private.plugin_id
        records = all_records(private.host, session_id, plugin_id, wanted.namespace)
        place = f"{plugin_id} {wanted.namespace}/{wanted.field}"
        if wanted.field not in records:
            known = ", ".join(records) or "none"
            problems.append(f"{place}: no such record is stored. Its namespace has: {known}.")
        elif wanted.has_value and records[wanted.field] != wanted.value:
            stored, value = dump_json(records[wanted.field]), dump_json(wanted.value)
            problems.append(f"{place}: expected {value}; stored is {stored}.")
    return problems


def _script(case: RuntimeCase) -> ScriptedModel:
    return ScriptedModel(case.llm_responses or (), name="llmResponses")


def _reply_problems(case: RuntimeCase, script: ScriptedModel) -> list[str]:
    """A reply that nobody asked for is a run that went otherwise than its author thinks."""
    left = len(case.llm_responses or ()) - script.used
    return [f"{left} of the replies in 'llmResponses' were not asked for."] if left else []


class _MockModel:
    """Answers every request with a short text, and calls nothing."""

    async def complete(self, request: ModelRequest, *, on_piece: PieceSink) -> ModelReply:
        if request.stream:
            await on_piece(TextDelta(MOCK_TEXT))
        return ModelReply(MOCK_TEXT, provider="mock", model="mock")

    async def aclose(self) -> None:
        return None
