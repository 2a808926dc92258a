"""Which runs of an execution commit together, and which fall with a run that is dropped.

Pure: facts of runs in, decisions out (spec/transactions.md 4.2 and 4.3).
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

RunRole: TypeAlias = Literal["story", "setup", "other"]
"""`story` is a story runtime that succeeded, `setup` one of the setup band."""


@dataclass(frozen=True, slots=True)
class HardDependency:
    """Runs whose results a run rests on: it falls with them.

    `every` needs all of them: a need or a required input that names a runtime, or has cardinality
    `all`. `any` needs one: cardinality `one`, and the emitters of a follower's event.
    """

    run_ids: tuple[str, ...]
    needs: Literal["every", "any"] = "every"


class CommittingRun(Protocol):
    """What is asked of a run; `after` and optional inputs are no hard dependencies."""

    @property
    def run_id(self) -> str: ...

    @property
    def role(self) -> RunRole: ...

    @property
    def rests_on(self) -> tuple[HardDependency, ...]: ...


def core_run_ids(runs: Sequence[CommittingRun]) -> frozenset[str]:
    """The runs that form one unit; each of the others is a unit of its own.

    With a story: the stories, the setup runs, and what they rest on. Without one: all of them.
    Of several interchangeable providers (`any`) none is pulled in, since the need stays satisfied
    while one of them is there; `fallen_with` still sees when the last one goes.
    """
    by_id = {run.run_id: run for run in runs}
    if all(run.role != "story" for run in runs):
        return frozenset(by_id)
    core: set[str] = set()
    waiting = [run.run_id for run in runs if run.role != "other"]
    while waiting:
        run_id = waiting.pop()
        if run_id in core or run_id not in by_id:
            continue
        core.add(run_id)
        waiting += _indispensable(by_id[run_id].rests_on)
    return frozenset(core)


def fallen_with(run: CommittingRun, dropped: Collection[str]) -> str | None:
    """The dropped run that takes `run` with it; None when `run` still stands.

    Runs that this execution does not commit, such as the seeds of a retry, are never dropped.
    """
    for dependency in run.rests_on:
        lost = [run_id for run_id in dependency.run_ids if run_id in dropped]
        if lost and (dependency.needs == "every" or len(lost) == len(dependency.run_ids)):
            return lost[0]
    return None


def _indispensable(dependencies: Iterable[HardDependency]) -> list[str]:
    return [
        run_id
        for dependency in dependencies
        if dependency.needs == "every" or len(dependency.run_ids) == 1
        for run_id in dependency.run_ids
    ]
