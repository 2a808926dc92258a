"""Which runs commit together and which fall with a dropped one, as a table of cases."""

from dataclasses import dataclass, field
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.proposals.commit_units import (
    HardDependency,
    RunRole,
    core_run_ids,
    fallen_with,
)


@dataclass(frozen=True)
class Run:
    run_id: str
    role: RunRole = "other"
    rests_on: tuple[HardDependency, ...] = field(default=())


def every(*run_ids: str) -> HardDependency:
    return HardDependency(run_ids)


def any_of(*run_ids: str) -> HardDependency:
    return HardDependency(run_ids, needs="any")


def run(run_id: str, *rests_on: HardDependency, role: RunRole = "other") -> Run:
    return Run(run_id, role, rests_on)


STORY = run("story", role="story")

UNITS: dict[str, tuple[list[Run], set[str]]] = {
    "without a story everything commits together": (
        [run("a"), run("b", every("a"))],
        {"a", "b"},
    ),
    "setup without a story commits together": (
        [run("setup", role="setup"), run("b")],
        {"setup", "b"},
    ),
    "runs beside a story are units of their own": ([run("a"), STORY, run("b")], {"story"}),
    "setup runs join the story": (
        [run("setup", role="setup"), STORY, run("b")],
        {"setup", "story"},
    ),
    "the hard upstream of a story joins it, to any depth": (
        [run("a"), run("b", every("a")), run("c"), run("story", every("b"), role="story")],
        {"a", "b", "story"},
    ),
    "the hard upstream of a setup run joins as well": (
        [run("a"), run("setup", every("a"), role="setup"), STORY],
        {"a", "setup", "story"},
    ),
    "the only provider of a need of cardinality one joins": (
        [run("a"), run("story", any_of("a"), role="story")],
        {"a", "story"},
    ),
    "of two providers of such a need neither joins": (
        [run("a"), run("b"), run("story", any_of("a", "b"), role="story")],
        {"story"},
    ),
    "a dependant of the story does not join": ([STORY, run("b", every("story"))], {"story"}),
    "a seed of an earlier execution is no member": (
        [run("story", every("seed"), role="story")],
        {"story"},
    ),
    "two stories are one unit": (
        [run("s1", role="story"), run("a"), run("s2", role="story")],
        {"s1", "s2"},
    ),
}


@pytest.mark.parametrize("case", UNITS)
def test_units_are_made_of_stories_and_what_they_rest_on(case: str) -> None:
    runs, core = UNITS[case]
    assert core_run_ids(runs) == core


CASCADE: dict[str, tuple[list[Run], set[str], dict[str, str]]] = {
    "a need falls with its provider": ([run("b", every("a"))], {"a"}, {"b": "a"}),
    "a fall goes on": (
        [run("b", every("a")), run("c", every("b")), run("d")],
        {"a"},
        {"b": "a", "c": "b"},
    ),
    "a need of all falls with the first one": ([run("c", every("a", "b"))], {"b"}, {"c": "b"}),
    "a need of one stands while another is there": ([run("c", any_of("a", "b"))], {"b"}, {}),
    "a need of one falls with the last one": (
        [run("c", any_of("a", "b"))],
        {"a", "b"},
        {"c": "a"},
    ),
    "a follower stands while one of its emitters is there": (
        [run("f", any_of("a", "b"))],
        {"a"},
        {},
    ),
    "after and optional inputs do not cascade": ([run("c")], {"a", "b"}, {}),
    "what was not dropped takes nothing with it": ([run("b", every("a"))], {"z"}, {}),
    "a dependency without providers takes nothing": ([run("b", any_of(), every())], {"a"}, {}),
}


@pytest.mark.parametrize("case", CASCADE)
def test_only_hard_dependants_fall(case: str) -> None:
    runs, dropped, expected = CASCADE[case]
    gone, found = set(dropped), {}
    for each in runs:
        upstream = fallen_with(each, gone)
        if upstream is not None:
            gone.add(each.run_id)
            found[each.run_id] = upstream
    assert found == expected


NAMES = [f"r{number}" for number in range(8)]


@st.composite
def executions(draw: st.DrawFn) -> list[Run]:
    """Runs whose dependencies are on earlier ones, as execution order has it."""
    runs = []
    for number, name in enumerate(NAMES[: draw(st.integers(1, len(NAMES)))]):
        roles: list[RunRole] = ["story", "setup", "other"]
        needs: list[Literal["every", "any"]] = ["every", "any"]
        rests_on = []
        if number:
            groups = st.lists(st.sampled_from(NAMES[:number]), min_size=1, max_size=3, unique=True)
            rests_on = [
                HardDependency(tuple(group), draw(st.sampled_from(needs)))
                for group in draw(st.lists(groups, max_size=2))
            ]
        runs.append(Run(name, draw(st.sampled_from(roles)), tuple(rests_on)))
    return runs


@given(executions())
def test_the_core_holds_all_that_it_cannot_do_without(runs: list[Run]) -> None:
    core = core_run_ids(runs)
    assert {each.run_id for each in runs if each.role == "story"} <= core
    for each in runs:
        if each.run_id in core:
            for dependency in each.rests_on:
                if dependency.needs == "every":
                    assert set(dependency.run_ids) <= core


@given(executions(), st.sets(st.sampled_from(NAMES)))
def test_dropping_more_never_lets_a_fallen_run_stand(runs: list[Run], dropped: set[str]) -> None:
    for each in runs:
        if fallen_with(each, dropped) is None:
            continue
        assert fallen_with(each, {*dropped, NAMES[0]}) is not None
