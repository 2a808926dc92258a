"""The clock of a session as one execution finds it (spec/execution.md 1.3, 3.2)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from covel_host.store.session_clock import SessionClock
from covel_host.store.setup_states import SetupProgress, SetupState
from covel_host.turn.schedule_setup_records import for_version, new_setup
from covel_host.turn.schedule_types import CommittedRuns
from covel_host.turn.session_runtimes import SessionRuntimes


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnClock:
    """`setup` has every setup runtime of the session, `ledger` each runtime that ever ran.

    A setup that was done under another version of its package is pending again here.
    """

    setup: Mapping[str, SetupState] = field(default_factory=dict)
    ledger: Mapping[str, CommittedRuns] = field(default_factory=dict)

    @property
    def setup_states(self) -> Mapping[str, SetupProgress]:
        """What scheduling reads of the setup runtimes."""
        return {runtime_id: state.state for runtime_id, state in self.setup.items()}


def turn_clock(stored: SessionClock, runtimes: SessionRuntimes) -> TurnClock:
    """The clock for an execution with those runtimes."""
    return TurnClock(
        setup={
            runtime.runtime_id: present_setup(stored, runtime.runtime_id, runtime.version)
            for runtime in runtimes.of_setup
        },
        ledger={
            runtime_id: CommittedRuns(row.runs, row.last_turn)
            for runtime_id, row in stored.triggers.items()
        },
    )


def present_setup(stored: SessionClock, runtime_id: str, version: str | None) -> SetupState:
    """The state of one setup runtime under the present version of its package."""
    state = stored.setup.get(runtime_id)
    return new_setup(version) if state is None else for_version(state, version)
