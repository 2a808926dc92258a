"""Holding a job: every transition of it goes through its lease (spec/execution.md 9.3)."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from covel_host.base.clock import Clock
from covel_host.store.errors import StoreError
from covel_host.store.jobs import JobMove, JobRecord, JobState, move_job, renew_lease
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from plugin_sdk.values import JsonObject

LEASE: Final = timedelta(seconds=30)
RENEW_EVERY_S: Final = 10.0


class JobLost(StoreError):
    """Somebody else has ended the job meanwhile, or taken it over; nothing of it is committed."""

    def __init__(self, job_id: str) -> None:
        super().__init__(
            f"The job {job_id!r} is not held any more: it was cancelled, or its lease ran out.",
            code="job-lost",
        )


class JobLease:
    """The lease of one claimed job; `record` is the job as its holder last saw it."""

    def __init__(self, record: JobRecord, store: Store, clock: Clock) -> None:
        self.record = record
        self._store = store
        self._clock = clock

    async def move(self, state: JobState, *, turn_id: str | None = None) -> None:
        """Make a transition in a transaction of its own.

        Raises:
            JobLost: the job is not held any more.
            StoreError: the store failed; the job is as it was.
        """
        await self._store.transaction(
            lambda transaction: self.move_in(transaction, state, turn_id=turn_id)
        )
        self.record = replace(self.record, state=state)

    async def end(self, state: JobState, *, code: str, message: str) -> None:
        """End the job without a success, and keep why; nothing happens where it is over already."""
        failure: JsonObject = {"code": code, "message": message}
        try:
            await self._store.transaction(
                lambda transaction: self.move_in(transaction, state, failure=failure)
            )
        except JobLost:
            return

    def move_in(
        self,
        transaction: Transaction,
        state: JobState,
        *,
        turn_id: str | None = None,
        failure: JsonObject | None = None,
    ) -> None:
        """Make a transition as part of `transaction`.

        Raises:
            JobLost: the job is not held any more; the transaction must not be committed.
        """
        now = self._clock.now()
        move = JobMove(
            state=state,
            at=now,
            owner=self.record.lease_owner,
            lease_until=now + LEASE,
            turn_id=turn_id,
            failure=failure,
        )
        if not move_job(transaction, self.record, move):
            raise JobLost(self.record.job_id)

    async def renew(self) -> bool:
        """Hold the job longer; False where it is held no more."""
        until = self._clock.now() + LEASE
        return await self._store.transaction(
            lambda transaction: renew_lease(transaction, self.record, until=until)
        )
