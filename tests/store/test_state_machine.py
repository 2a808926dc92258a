"""Parallel writers, failures, retries, snapshots and forks against a model of dictionaries."""

import asyncio
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from covel_host.base.json_text import dump_json
from covel_host.store.check import check_database
from covel_host.store.errors import RevisionNotKeptError, RowConflictError
from covel_host.store.forks import ForkIds, fork_session
from covel_host.store.plugin_data import DataKey, delete_data, list_data, list_data_at, put_data
from covel_host.store.sessions import (
    advance_session,
    delete_session,
    insert_session,
    require_session,
)
from covel_host.store.snapshots import keep_auto_snapshot, keep_snapshot, list_snapshots
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from covel_host.store.turns import count_logical_turn, put_turn
from tests.store.builders import at, options, session, turn

KEPT = 2
writes = st.dictionaries(st.sampled_from("abc"), st.none() | st.integers(0, 9), max_size=3)
commits = st.lists(st.tuples(st.integers(0, 9), writes, st.booleans()), min_size=1, max_size=5)


class Failed(Exception):
    """A body that fails after all of its writes."""


@dataclass
class Model:
    """One session: its rows after each revision, first to last; a fork has its source's."""

    states: list[dict[str, int]]
    turns: list[str] = field(default_factory=list)


class Sessions(RuleBasedStateMachine):
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

    def _session(self, number: int) -> str | None:
        names = sorted(self.models)
        return names[number % len(names)] if names else None

    @rule()
    def begin(self) -> None:
        name = self._new_id()
        self.store.transaction_now(lambda transaction: insert_session(transaction, session(name)))
        self.models[name] = Model([{}])

    @rule(commits=commits)
    def commit_in_parallel(self, commits: list[tuple[int, dict[str, int | None], bool]]) -> None:
        planned = [
            (name, changes, fails, self._new_id())
            for number, changes, fails in commits
            if (name := self._session(number)) is not None
        ]

        async def scene() -> list[Any]:
            bodies = [self._commit(*plan) for plan in planned]
            return await asyncio.gather(
                *(self.store.transaction(body) for body in bodies), return_exceptions=True
            )

        for (name, changes, fails, turn_id), outcome in zip(
            planned, asyncio.run(scene()), strict=True
        ):
            if fails:
                assert isinstance(outcome, Failed)
                # Tried again, the same turn goes in: nothing of the first try is in its way.
                self.store.transaction_now(self._commit(name, changes, False, turn_id))
        # Transactions run in the order of the calls; the retries follow all of them.
        for name, changes, _fails, turn_id in sorted(planned, key=lambda plan: plan[2]):
            model = self.models[name]
            state = {**model.states[-1], **changes}
            model.states.append({key: value for key, value in state.items() if value is not None})
            model.turns.append(turn_id)

    def _commit(self, name: str, changes: dict[str, int | None], fails: bool, turn_id: str) -> Any:
        def body(transaction: Transaction) -> None:
            before = require_session(transaction, name)
            revision = before.revision + 1
            put_turn(
                transaction,
                turn(turn_id, name, commit_status="committed", revision=revision),
            )
            for key, value in changes.items():
                place = _key(name, key)
                if value is None:
                    delete_data(transaction, place, revision=revision)
                else:
                    text = dump_json(value)
                    put_data(transaction, place, value_text=text, revision=revision, at=at())
            assert count_logical_turn(
                transaction, name, turn_id, turn_id=turn_id, revision=revision
            )
            counted = replace(before, completed_player_turns=revision)
            after = advance_session(transaction, counted, turn_id=turn_id, at=at(revision))
            keep_auto_snapshot(transaction, after, at=at(revision), limit=KEPT)
            if fails:
                raise Failed

        return body

    @rule(number=st.integers(0, 9))
    def commit_a_turn_again(self, number: int) -> None:
        name = self._session(number)
        if name is None or not self.models[name].turns:
            return
        turn_id = self.models[name].turns[0]
        try:
            self.store.transaction_now(self._commit(name, {"a": 1}, False, turn_id))
        except RowConflictError:
            return
        raise AssertionError("a turn was committed twice")

    @rule(number=st.integers(0, 9))
    def keep(self, number: int) -> None:
        name = self._session(number)
        if name is not None:
            made = self._new_id()
            self.store.transaction_now(
                lambda transaction: keep_snapshot(transaction, name, snapshot_id=made, at=at())
            )

    @rule(number=st.integers(0, 9), back=st.integers(0, 5))
    def fork(self, number: int, back: int) -> None:
        name = self._session(number)
        if name is None:
            return
        model = self.models[name]
        revision = max(len(model.states) - 1 - back, 0)
        made = self._new_id()
        new = ForkIds(session_id=made, incarnation=made, snapshot_id=f"of-{made}")
        snapshots = self.store.read_now(lambda reading: list_snapshots(reading, name))
        is_kept = revision == len(model.states) - 1 or revision in {
            item.revision for item in snapshots
        }
        try:
            self.store.transaction_now(
                lambda transaction: fork_session(transaction, name, revision, new=new, at=at())
            )
        except RevisionNotKeptError:
            assert not is_kept
        else:
            assert is_kept
            # A fork has its source's numbers, but of its revisions only the one it begins with.
            self.models[made] = Model(model.states[: revision + 1])

    @rule(number=st.integers(0, 9))
    def delete(self, number: int) -> None:
        name = self._session(number)
        if name is not None:
            self.store.transaction_now(lambda transaction: delete_session(transaction, name))
            del self.models[name]

    @invariant()
    def every_readable_revision_is_as_it_was(self) -> None:
        for name, model in self.models.items():
            now = self.store.read_now(lambda reading: list_data(reading, name, "p", "n"))  # noqa: B023
            assert {record.key: record.value for record in now} == model.states[-1]
            for item in self.store.read_now(lambda reading: list_snapshots(reading, name)):  # noqa: B023
                then = self.store.read_now(
                    lambda reading: list_data_at(reading, name, "p", "n", revision=item.revision)  # noqa: B023
                )
                assert {record.key: record.value for record in then} == model.states[item.revision]

    @invariant()
    def the_database_is_sound(self) -> None:
        assert check_database(self.store.path).findings == ()


def _key(name: str, key: str) -> DataKey:
    return DataKey(session_id=name, plugin_id="p", namespace="n", key=key)


TestSessions = Sessions.TestCase
TestSessions.settings = settings(max_examples=15, stateful_step_count=15, deadline=None)
