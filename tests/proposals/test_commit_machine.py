"""Executions committed in parallel, failing, retried and forked, against dictionaries.

The model knows units and cascade in the simplest form there is: it tries, and forgets what fell.
"""

import asyncio
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from covel_host.proposals.commit import commit_execution, record_failure
from covel_host.proposals.commit_units import HardDependency, RunRole
from covel_host.proposals.errors import CommitRefused
from covel_host.proposals.plan import CommitReport, ExecutionCommit, ExportWrite, RunWrites
from covel_host.proposals.staged import StagedProposal, check_proposal
from covel_host.schemas.compiled import compile_schema
from covel_host.store.check import check_database
from covel_host.store.errors import RevisionNotKeptError, RowConflictError, StoreError
from covel_host.store.forks import ForkIds, fork_session
from covel_host.store.messages import list_messages
from covel_host.store.plugin_data import list_data, list_data_at
from covel_host.store.sessions import insert_session, require_session
from covel_host.store.snapshots import list_snapshots
from covel_host.store.store import Store
from covel_host.store.transaction import Reading, Transaction
from covel_host.store.turns import get_turn
from tests.proposals.builders import FINISHED, exports
from tests.proposals.faults import FailingDriver, Interrupted
from tests.store.builders import START, at, options, session

KEPT = 2
NUMBER = compile_schema({"type": "integer"})

Write: TypeAlias = tuple[Literal["set", "add", "delete", "bad"], str, int]


@dataclass(frozen=True)
class Planned:
    """One run: what it writes, what it rests on (indices of earlier runs), what it exports.

    `told` says that it writes a message; an export of None is none, a text one that does not fit.
    """

    role: RunRole
    writes: tuple[Write, ...]
    every: tuple[int, ...]
    one_of: tuple[int, ...]
    told: bool
    export: int | str | None


@dataclass
class State:
    """What a session shows; `counted` are the logical turns that were counted."""

    records: dict[str, int] = field(default_factory=dict)
    exports: dict[str, tuple[int, int]] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    counted: set[str] = field(default_factory=set)

    def copy(self) -> "State":
        return State(dict(self.records), dict(self.exports), list(self.told), set(self.counted))


@dataclass
class Model:
    """One session after each of its revisions; a fork has its source's."""

    states: list[State]
    turns: list[str] = field(default_factory=list)


@st.composite
def executions(draw: st.DrawFn) -> list[Planned]:
    kinds = st.sampled_from(["set", "set", "set", "add", "delete", "bad"])
    write = st.tuples(kinds, st.sampled_from("abc"), st.integers(0, 9))
    runs: list[Planned] = []
    for number in range(draw(st.integers(1, 4))):
        earlier = st.lists(st.sampled_from(range(max(number, 1))), max_size=2, unique=True)
        roles: list[RunRole] = ["story", "other", "other", "setup"]
        runs.append(
            Planned(
                role=draw(st.sampled_from(roles)),
                writes=tuple(draw(st.lists(write, max_size=2))),
                every=tuple(draw(earlier)) if number else (),
                one_of=tuple(draw(earlier)) if number else (),
                told=draw(st.booleans()),
                export=draw(st.sampled_from([None, None, 1, 2, "no number"])),
            )
        )
    return runs


def tried(state: State, runs: list[Planned], *, turn_id: str) -> tuple[State, set[int]] | None:
    """The state after the runs and those that were dropped; None when all is rolled back."""
    has_story = any(run.role == "story" for run in runs)
    core = {n for n, run in enumerate(runs) if not has_story or run.role != "other"}
    for _ in runs:
        for number in sorted(core):
            core |= set(runs[number].every)
            if len(runs[number].one_of) == 1:
                core |= set(runs[number].one_of)
    after, dropped = state.copy(), set[int]()
    for number, run in enumerate(runs):
        falls = bool(dropped & set(run.every))
        falls |= bool(run.one_of) and set(run.one_of) <= dropped
        attempt = after.copy()
        if falls or not _apply(attempt, run, f"{turn_id}-{number}"):
            if number in core:
                return None
            dropped.add(number)
        else:
            after = attempt
    for number, run in enumerate(runs):
        if number not in dropped and isinstance(run.export, int):
            count, _ = after.exports.get(f"rt{number}", (0, 0))
            after.exports[f"rt{number}"] = (count + 1, run.export)
    return after, dropped


def _apply(state: State, run: Planned, run_id: str) -> bool:
    for kind, key, number in run.writes:
        if kind == "bad" or (kind == "add" and key not in state.records):
            return False
        if kind == "delete":
            state.records.pop(key, None)
        else:
            state.records[key] = number + (state.records[key] if kind == "add" else 0)
    if run.told:
        state.told.append(run_id)
    return True


class Executions(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = Store.open(options(Path(self.folder.name)))
        self.models: dict[str, Model] = {}
        self.made = 0

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    def _new_id(self) -> str:
        self.made += 1
        return f"n{self.made}"

    def _name(self, number: int) -> str | None:
        names = sorted(self.models)
        return names[number % len(names)] if names else None

    @rule()
    def begin(self) -> None:
        name = self._new_id()
        self.store.transaction_now(lambda transaction: insert_session(transaction, session(name)))
        self.models[name] = Model([State()])

    @rule(
        planned=st.lists(
            st.tuples(st.integers(0, 9), executions(), st.none() | st.integers(1, 25)),
            min_size=1,
            max_size=3,
        ),
        is_retry=st.booleans(),
    )
    def commit_in_parallel(
        self, planned: list[tuple[int, list[Planned], int | None]], is_retry: bool
    ) -> None:
        prepared = [
            (commit_of(name, self._new_id(), runs, logical=self._logical(name, is_retry)), runs, at)
            for number, runs, at in planned
            if (name := self._name(number)) is not None
        ]

        async def scene() -> list[Any]:
            bodies = [body_of(commit, fails_at) for commit, _runs, fails_at in prepared]
            return await asyncio.gather(
                *(self.store.transaction(body) for body in bodies), return_exceptions=True
            )

        outcomes = asyncio.run(scene())
        again = []
        for (commit, runs, _at), outcome in zip(prepared, outcomes, strict=True):
            if isinstance(outcome, Interrupted | StoreError):
                again.append((commit, runs))
            else:
                self._settled(commit, runs, outcome)
        # The same turn is tried again: nothing of the first try is in its way.
        for commit, runs in again:
            self._settled(commit, runs, self._outcome(commit))

    def _logical(self, name: str, is_retry: bool) -> str:
        """A logical turn of its own, or of some turn before."""
        turns = self.models[name].turns
        return turns[-1] if is_retry and turns else self._new_id()

    def _outcome(self, commit: ExecutionCommit) -> object:
        try:
            return self.store.transaction_now(body_of(commit, None))
        except CommitRefused as refused:
            return refused

    def _settled(self, commit: ExecutionCommit, runs: list[Planned], outcome: object) -> None:
        model = self.models[commit.session_id]
        expected = tried(model.states[-1], runs, turn_id=commit.turn_id)
        if expected is None:
            assert isinstance(outcome, CommitRefused), outcome
            self._keep_failure(commit)
            return
        assert isinstance(outcome, CommitReport), outcome
        state, dropped = expected
        assert outcome.is_counted == (commit.logical_turn_id not in state.counted)
        assert {each.run_id for each in outcome.dropped} == {
            f"{commit.turn_id}-{number}" for number in dropped
        }
        state.counted.add(commit.logical_turn_id)
        model.states.append(state)
        model.turns.append(commit.turn_id)
        self._assert_results(commit, dropped)

    def _keep_failure(self, commit: ExecutionCommit) -> None:
        self.store.transaction_now(
            lambda transaction: record_failure(transaction, commit, code="x", message="Refused.")
        )
        turn = self.store.read_now(
            lambda reading: get_turn(reading, commit.session_id, commit.turn_id)
        )
        assert turn is not None
        assert (turn.commit_status, turn.revision) == ("failed", None)

    def _assert_results(self, commit: ExecutionCommit, dropped: set[int]) -> None:
        turn = self.store.read_now(
            lambda reading: get_turn(reading, commit.session_id, commit.turn_id)
        )
        assert turn is not None
        results: Any = turn.results
        assert [result["status"] for result in results] == [
            "failed" if number in dropped else "success" for number in range(len(commit.runs))
        ]

    @rule(number=st.integers(0, 9), runs=executions())
    def commit_a_turn_again(self, number: int, runs: list[Planned]) -> None:
        name = self._name(number)
        if name is None or not self.models[name].turns:
            return
        commit = commit_of(name, self.models[name].turns[0], runs, logical="again")
        try:
            self.store.transaction_now(body_of(commit, None))
        except RowConflictError:
            return
        raise AssertionError("a turn was committed twice")

    @rule(number=st.integers(0, 9), back=st.integers(0, 3))
    def rewind_into_a_fork(self, number: int, back: int) -> None:
        name = self._name(number)
        if name is None:
            return
        model = self.models[name]
        revision = max(len(model.states) - 1 - back, 0)
        made = self._new_id()
        new = ForkIds(
            session_id=made, incarnation=f"incarnation-of-{made}", snapshot_id=f"of-{made}"
        )
        kept = {
            item.revision
            for item in self.store.read_now(lambda reading: list_snapshots(reading, name))
        }
        try:
            self.store.transaction_now(
                lambda transaction: fork_session(transaction, name, revision, new=new, at=at())
            )
        except RevisionNotKeptError:
            assert revision not in {*kept, len(model.states) - 1}
        else:
            self.models[made] = Model([state.copy() for state in model.states[: revision + 1]])

    @invariant()
    def every_session_shows_its_state(self) -> None:
        for name, model in self.models.items():
            self.store.read_now(lambda reading: self._assert_shown(reading, name, model))  # noqa: B023

    def _assert_shown(self, reading: Reading, name: str, model: Model) -> None:
        state = model.states[-1]
        stored = require_session(reading, name)
        assert stored.revision == len(model.states) - 1
        assert stored.completed_player_turns == len(state.counted)
        assert shown(list_data(reading, name, "echo-demo", "notes")) == state.records
        assert {
            each.producer_id: (each.number, each.value) for each in exports(reading, name)
        } == state.exports
        assert [each.content for each in list_messages(reading, name)] == state.told
        for kept in list_snapshots(reading, name):
            then = list_data_at(reading, name, "echo-demo", "notes", revision=kept.revision)
            assert shown(then) == model.states[kept.revision].records
            assert {
                each.producer_id: (each.number, each.value)
                for each in exports(reading, name, revision=kept.revision)
            } == model.states[kept.revision].exports

    @invariant()
    def the_database_is_sound(self) -> None:
        assert check_database(self.store.path).is_sound


def shown(records: list[Any]) -> dict[str, int]:
    return {record.key: record.value["n"] for record in records}


def commit_of(name: str, turn_id: str, runs: list[Planned], *, logical: str) -> ExecutionCommit:
    """The execution as it is handed to its commit."""
    return ExecutionCommit(
        session_id=name,
        incarnation=f"incarnation-of-{name}",
        turn_id=turn_id,
        origin="player",
        logical_turn_id=logical,
        logical_turn=1,
        started_at=START,
        finished_at=FINISHED,
        duration_ms=1,
        results=tuple(
            {"runId": f"{turn_id}-{number}", "status": "success"} for number in range(len(runs))
        ),
        runs=tuple(_run(turn_id, number, run) for number, run in enumerate(runs)),
        auto_snapshots_kept=KEPT,
    )


def _run(turn_id: str, number: int, planned: Planned) -> RunWrites:
    run_id = f"{turn_id}-{number}"
    export = None
    if planned.export is not None:
        export = ExportWrite(name="out", value=planned.export, schema=NUMBER)
    return RunWrites(
        run_id=run_id,
        plugin_id="echo-demo",
        runtime_id=f"rt{number}",
        proposals=tuple(_proposals(run_id, planned)),
        export=export,
        role=planned.role,
        rests_on=(
            HardDependency(tuple(f"{turn_id}-{index}" for index in planned.every)),
            HardDependency(tuple(f"{turn_id}-{index}" for index in planned.one_of), needs="any"),
        ),
    )


def _proposals(run_id: str, planned: Planned) -> list[StagedProposal]:
    payloads: list[tuple[str, dict[str, Any]]] = []
    for kind, key, value in planned.writes:
        place = {"namespace": "notes", "key": key}
        if kind == "set":
            payloads.append(("plugin.data", {**place, "value": {"n": value}}))
        elif kind == "delete":
            payloads.append(("plugin.data.delete", place))
        elif kind == "add":
            ops = [{"op": "increment", "path": "/n", "by": value}]
            payloads.append(("plugin.data.update", {**place, "ops": ops}))
        else:
            payloads.append(("plugin.data", {**place, "namespace": "_logs", "value": 1}))
    if planned.told:
        payloads.append(("narrative.append", {"content": run_id}))
    return [
        check_proposal(
            {"type": type_name, "payload": payload},
            proposal_id=f"proposal-{run_id}-{number}",
            plugin_id="echo-demo",
            runtime_id="rt",
            run_id=run_id,
        )
        for number, (type_name, payload) in enumerate(payloads)
    ]


def body_of(commit: ExecutionCommit, fails_at: int | None) -> Any:
    """The body of the commit; with a number it is interrupted after that statement."""

    def body(transaction: Transaction) -> CommitReport:
        if fails_at is None:
            return commit_execution(transaction, commit)
        driver = FailingDriver(transaction._driver, at=fails_at, fault="after")
        failing = Transaction(driver, transaction._dialect)
        report = commit_execution(failing, commit)
        failing.flush()
        return report

    return body


TestExecutions = Executions.TestCase
TestExecutions.settings = settings(max_examples=25, stateful_step_count=10, deadline=None)
