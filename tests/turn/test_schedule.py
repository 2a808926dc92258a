"""The scheduler decides what runs next from declarations and outcomes alone."""

from __future__ import annotations

import sys
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.turn.schedule import Schedule
from covel_host.turn.schedule_selection import UnknownRuntimeError, select_runtimes
from covel_host.turn.schedule_types import (
    CommittedRuns,
    DetachedInForeground,
    EffectsConflict,
    EmittedEvent,
    EventPayloadDropped,
    Job,
    RunOutcome,
    Situation,
)
from tests.vector_adapters.scheduling import declaration_of as declare
from tests.vector_adapters.scheduling import drive

AUTO = {"type": "auto"}


def runtime(runtime_id: str, **fields: Any) -> dict[str, Any]:
    """An automatic post-turn runtime, unless `fields` say otherwise."""
    return {"id": runtime_id, "stage": "post-turn", "trigger": AUTO, **fields}


def follower(runtime_id: str, topic: str, **fields: Any) -> dict[str, Any]:
    """A runtime that an event starts."""
    return {"id": runtime_id, "trigger": {"type": "event", "topic": topic, **fields}}


def emits(*topics: str) -> dict[str, Any]:
    """A success with one event per topic."""
    return {"events": [{"topic": topic, "data": {"n": n}} for n, topic in enumerate(topics)]}


def build(runtimes: list[dict[str, Any]], **situation: Any) -> Schedule:
    """A schedule in turn 4, unless `situation` says otherwise."""
    return Schedule(
        [declare(data) for data in runtimes], Situation(**{"logical_turn": 4, **situation})
    )


def skipped(schedule: Schedule) -> dict[str, str]:
    return {skip.runtime_id: skip.reason for skip in schedule.skips}


class TestEvents:
    def test_followers_run_before_the_next_layer_of_the_stage(self) -> None:
        schedule = build(
            [runtime("m/a"), runtime("m/b", after=["m/a"]), follower("x/on", "bell.rung")]
        )
        assert drive(schedule, {"m/a": emits("bell.rung")}) == [["m/a"], ["x/on"], ["m/b"]]

    def test_each_depth_is_ordered_by_the_dependencies_of_its_followers(self) -> None:
        schedule = build(
            [
                runtime("m/a"),
                {**follower("x/first", "bell.rung"), "after": ["x/second"]},
                follower("x/second", "bell.rung"),
                follower("x/third", "bell.faded"),
            ]
        )
        layers = drive(schedule, {"m/a": emits("bell.rung"), "x/second": emits("bell.faded")})
        assert layers == [["m/a"], ["x/second"], ["x/first"], ["x/third"]]

    def test_a_topic_of_a_later_layer_reaches_its_subscriber_again(self) -> None:
        schedule = build(
            [runtime("m/a"), runtime("m/b", after=["m/a"]), follower("x/on", "bell.rung")]
        )
        layers = drive(schedule, {"m/a": emits("bell.rung"), "m/b": emits("bell.rung")})
        assert layers == [["m/a"], ["x/on"], ["m/b"], ["x/on"]]
        assert [d.event.emitted_by for d in schedule.deliveries] == ["m/a", "m/b"]
        assert schedule.hazards == ()

    def test_the_trigger_count_holds_within_one_execution(self) -> None:
        schedule = build(
            [
                runtime("m/a"),
                runtime("m/b", after=["m/a"]),
                follower("x/on", "bell.rung", maxTriggerCount=1),
            ]
        )
        layers = drive(schedule, {"m/a": emits("bell.rung"), "m/b": emits("bell.rung")})
        assert layers == [["m/a"], ["x/on"], ["m/b"]]

    def test_followers_that_wake_each_other_come_to_an_end(self) -> None:
        schedule = build(
            [runtime("m/a"), follower("x/on", "bell.rung"), follower("y/on", "bell.faded")]
        )
        layers = drive(
            schedule,
            {"m/a": emits("bell.rung"), "x/on": emits("bell.faded"), "y/on": emits("bell.rung")},
        )
        assert layers == [["m/a"], ["x/on"], ["y/on"]]
        assert schedule.hazards == (EventPayloadDropped("bell.rung", "y/on"),)

    def test_a_runtime_that_sends_a_topic_twice_delivers_the_first_payload(self) -> None:
        schedule = build([runtime("m/a"), follower("x/on", "bell.rung")])
        drive(schedule, {"m/a": emits("bell.rung", "bell.rung")})
        assert [d.event.data for d in schedule.deliveries] == [{"n": 0}]
        assert schedule.hazards == (EventPayloadDropped("bell.rung", "m/a"),)

    @pytest.mark.parametrize("status", ["failed", "suspended"])
    def test_a_run_that_did_not_finish_well_starts_no_follower(self, status: str) -> None:
        schedule = build([runtime("m/a"), follower("x/on", "bell.rung")])
        assert drive(schedule, {"m/a": {"status": status, **emits("bell.rung")}}) == [["m/a"]]

    def test_a_cycle_of_followers_is_skipped_and_reaches_nobody(self) -> None:
        schedule = build(
            [
                runtime("m/a"),
                {**follower("x/a", "bell.rung"), "after": ["x/b"]},
                {**follower("x/b", "bell.rung"), "after": ["x/a"]},
                follower("y/on", "bell.rung"),
            ]
        )
        assert drive(schedule, {"m/a": emits("bell.rung")}) == [["m/a"], ["y/on"]]
        assert skipped(schedule) == {"x/a": "dependency-cycle", "x/b": "dependency-cycle"}
        assert [d.to for d in schedule.deliveries] == [("y/on",)]

    def test_events_of_the_request_start_their_subscribers_first(self) -> None:
        schedule = build(
            [runtime("m/a"), follower("x/on", "bell.rung")],
            pending_events=(EmittedEvent("bell.rung", {"by": "panel"}),),
        )
        first = schedule.next_layer()
        assert [(run.runtime_id, run.depth) for run in first] == [("x/on", 1)]
        assert first[0].event == EmittedEvent("bell.rung", {"by": "panel"})

    def test_a_background_follower_takes_its_event_along_as_a_job(self) -> None:
        schedule = build([runtime("m/a"), {**follower("x/on", "bell.rung"), "background": True}])
        assert drive(schedule, {"m/a": emits("bell.rung")}) == [["m/a"]]
        assert schedule.jobs == (Job("x/on", "event", EmittedEvent("bell.rung", {"n": 0}, "m/a")),)

    def test_a_follower_of_a_package_in_setup_is_skipped_in_either_form(self) -> None:
        schedule = build(
            [
                runtime("m/a"),
                runtime("x/seed", stage="setup"),
                follower("x/on", "bell.rung"),
                {**follower("x/paint", "bell.rung"), "background": True},
            ],
            setup_states={"x/seed": "blocked"},
        )
        assert drive(schedule, {"m/a": emits("bell.rung")}) == [["m/a"]]
        assert skipped(schedule) == {"x/on": "setup-incomplete", "x/paint": "setup-incomplete"}
        assert schedule.jobs == ()


class TestGates:
    @pytest.mark.parametrize(("turn", "runs"), [(10, False), (11, True)])
    def test_a_cooldown_is_a_distance_in_turns(self, turn: int, runs: bool) -> None:
        trigger = {"type": "auto", "cooldownTurns": 3}
        schedule = build(
            [runtime("m/a", trigger=trigger)],
            logical_turn=turn,
            ledger={"m/a": CommittedRuns(runs=1, last_turn=8)},
        )
        assert bool(drive(schedule)) is runs

    def test_a_need_of_one_provider_takes_any_and_of_all_takes_every(self) -> None:
        schedule = build(
            [
                runtime("a/facts", contract="facts@1"),
                runtime("b/facts", contract="facts@1"),
                runtime("m/one", needs=[{"contract": "facts@1"}]),
                runtime("m/all", needs=[{"contract": "facts@1", "cardinality": "all"}]),
            ]
        )
        layers = drive(schedule, {"b/facts": {"status": "failed"}})
        assert layers == [["a/facts", "b/facts"], ["m/one"]]
        assert skipped(schedule) == {"m/all": "need-unmet"}

    def test_a_chosen_skip_is_a_result_and_a_forced_one_is_not(self) -> None:
        runtimes = [runtime("m/a"), runtime("m/b", needs=["m/a"])]
        chosen = {"m/a": {"status": "skipped", "explicit_skip": True}}
        assert drive(build(runtimes), chosen) == [["m/a"], ["m/b"]]
        assert drive(build(runtimes), {"m/a": {"status": "skipped"}}) == [["m/a"]]

    def test_a_later_stage_never_unlocks_an_earlier_one(self) -> None:
        schedule = build(
            [runtime("m/a", stage="pre-turn", needs=["m/b"]), runtime("m/b", after=["m/a"])]
        )
        assert drive(schedule) == [["m/b"]]
        assert skipped(schedule) == {"m/a": "need-unmet"}

    def test_an_earlier_stage_counts_for_a_need(self) -> None:
        schedule = build([runtime("m/b", stage="pre-turn"), runtime("m/a", needs=["m/b"])])
        assert drive(schedule) == [["m/b"], ["m/a"]]

    def test_a_story_runs_when_no_dimension_provider_was_scheduled(self) -> None:
        schedule = build(
            [
                runtime("w/dims", stage="pre-turn", contract="world.dimensions@1"),
                runtime("teller", stage="narrative", visibility="story"),
            ],
            manual_runtime_id="teller",
        )
        assert drive(schedule) == [["teller"]]


class TestManual:
    def test_a_background_runtime_becomes_a_job(self) -> None:
        schedule = build(
            [{"id": "p/paint", "trigger": {"type": "manual"}, "background": True}],
            manual_runtime_id="p/paint",
        )
        assert drive(schedule) == []
        assert schedule.jobs == (Job("p/paint", "manual"),)

    def test_events_of_a_manual_run_start_followers(self) -> None:
        schedule = build(
            [{"id": "m/open", "trigger": {"type": "manual"}}, follower("x/on", "bell.rung")],
            manual_runtime_id="m/open",
            phase="setup",
        )
        assert drive(schedule, {"m/open": emits("bell.rung")}) == [["m/open"], ["x/on"]]

    def test_an_unknown_runtime_is_refused_by_name(self) -> None:
        with pytest.raises(UnknownRuntimeError, match="'m/gone'") as caught:
            build([runtime("m/a")], manual_runtime_id="m/gone")
        assert caught.value.code == "unknown-runtime"


class TestSetup:
    def test_a_late_setup_runs_first_and_lets_its_package_go_on(self) -> None:
        runtimes = [runtime("m/seed", stage="setup"), runtime("m/tally", stage="pre-turn")]
        done = {"m/seed": {"completes_setup": True}}
        assert drive(build(runtimes), done) == [["m/seed"], ["m/tally"]]
        schedule = build(runtimes)
        assert drive(schedule) == [["m/seed"]]
        assert skipped(schedule) == {"m/tally": "setup-incomplete"}

    def test_a_session_need_waits_for_the_committed_state(self) -> None:
        need = [{"runtime": "w/schema", "scope": "session"}]
        runtimes = [
            runtime("w/schema", stage="setup"),
            runtime("c/player", stage="setup", needs=need),
        ]
        schedule = build(runtimes, phase="setup")
        assert drive(schedule, {"w/schema": {"completes_setup": True}}) == [["w/schema"]]
        assert skipped(schedule) == {"c/player": "session-need-unmet"}
        later = build(runtimes, phase="setup", setup_states={"w/schema": "done"})
        assert drive(later) == [["c/player"]]

    def test_only_members_that_no_order_can_release_are_a_session_cycle(self) -> None:
        def waits(target: str) -> list[dict[str, str]]:
            return [{"runtime": target, "scope": "session"}]

        runtimes = [
            runtime("a/one", stage="setup", needs=waits("b/two")),
            runtime("b/two", stage="setup", needs=waits("a/one")),
            runtime("c/outside", stage="setup", needs=waits("a/one")),
        ]
        schedule = build(runtimes, phase="setup")
        assert drive(schedule) == []
        assert skipped(schedule) == {
            "a/one": "setup-session-cycle",
            "b/two": "setup-session-cycle",
            "c/outside": "session-need-unmet",
        }
        for state in ("done", "blocked"):
            released = build(runtimes, phase="setup", setup_states={"b/two": state})
            drive(released)
            assert "setup-session-cycle" not in skipped(released).values()

    def test_one_of_several_providers_is_enough_to_break_a_session_cycle(self) -> None:
        def providers(cardinality: str) -> Schedule:
            need = {"contract": "seed@1", "scope": "session", "cardinality": cardinality}
            return build(
                [
                    runtime("a/one", stage="setup", needs=[need]),
                    runtime(
                        "b/two",
                        stage="setup",
                        contract="seed@1",
                        needs=[{"runtime": "a/one", "scope": "session"}],
                    ),
                    runtime("c/three", stage="setup", contract="seed@1"),
                ],
                phase="setup",
            )

        one, every = providers("one"), providers("all")
        assert drive(one) == drive(every) == [["c/three"]]
        assert "setup-session-cycle" not in skipped(one).values()
        assert skipped(every) == {"a/one": "setup-session-cycle", "b/two": "setup-session-cycle"}

    def test_a_cycle_through_both_scopes_is_found(self) -> None:
        schedule = build(
            [
                runtime("a/one", stage="setup", needs=["b/two"]),
                runtime("b/two", stage="setup", needs=[{"runtime": "a/one", "scope": "session"}]),
            ],
            phase="setup",
        )
        assert drive(schedule) == []
        assert set(skipped(schedule).values()) == {"setup-session-cycle"}


class TestDetached:
    def test_a_detached_leaf_becomes_a_job_when_its_layer_comes(self) -> None:
        schedule = build([runtime("m/a"), runtime("m/b", needs=["m/a"], detached=True)])
        assert drive(schedule) == [["m/a"]]
        assert schedule.jobs == (Job("m/b", "stage"),)

    def test_a_detached_runtime_with_an_unmet_need_is_not_queued(self) -> None:
        schedule = build([runtime("m/a"), runtime("m/b", needs=["m/a"], detached=True)])
        drive(schedule, {"m/a": {"status": "failed"}})
        assert schedule.jobs == ()
        assert skipped(schedule) == {"m/b": "need-unmet"}

    def test_a_consumer_in_the_turn_keeps_it_in_the_turn(self) -> None:
        schedule = build(
            [runtime("m/a", detached={"maxQueueMs": 1}), runtime("m/b", needs=["m/a"])]
        )
        assert drive(schedule) == [["m/a"], ["m/b"]]
        assert schedule.hazards == (DetachedInForeground("m/a", "m/b"),)


class TestEffects:
    RUNTIMES: ClassVar = [
        runtime("a/x", effects={"writes": ["characters:*", "plugin-data:self:log"]}),
        runtime("b/x", effects={"writes": ["plugin-data:self:log", "ui:panel"]}),
        runtime("c/x", effects={"reads": ["characters:*"], "writes": ["ui:*"]}),
        runtime("d/x", effects={"writes": ["characters:*"], "parallelSafe": True}),
        runtime("e/x", effects={"reads": ["lorebook:*", "http:https://example.com"]}),
        runtime("f/x", effects={"reads": ["lorebook:*"], "writes": ["http:https://example.com"]}),
    ]

    def test_conflicts_are_reported_and_the_layer_stays_whole(self) -> None:
        schedule = build(self.RUNTIMES)
        assert drive(schedule) == [["a/x", "b/x", "c/x", "d/x", "e/x", "f/x"]]
        assert schedule.hazards == (
            EffectsConflict("characters:*", ("a/x", "c/x")),
            EffectsConflict("ui:*", ("b/x", "c/x")),
        )

    def test_the_strict_policy_runs_conflicting_runtimes_one_after_the_other(self) -> None:
        declarations = [declare(data) for data in self.RUNTIMES]
        schedule = Schedule(declarations, Situation(logical_turn=4), effects_policy="strict")
        assert drive(schedule) == [["a/x", "b/x", "d/x", "e/x", "f/x"], ["c/x"]]

    def test_parts_of_one_layer_share_one_event_chain(self) -> None:
        declarations = [
            declare(runtime("a/x", effects={"writes": ["ui:*"]})),
            declare(runtime("b/x", effects={"writes": ["ui:*"]})),
            declare(follower("z/on", "bell.rung")),
        ]
        schedule = Schedule(declarations, Situation(logical_turn=4), effects_policy="strict")
        layers = drive(schedule, {"a/x": emits("bell.rung"), "b/x": emits("bell.rung")})
        assert layers == [["a/x"], ["b/x"], ["z/on"]]
        assert EventPayloadDropped("bell.rung", "b/x") in schedule.hazards


class TestDriving:
    def test_a_hook_may_drop_and_reorder_what_was_selected(self) -> None:
        declarations = [declare(runtime(name)) for name in ("m/a", "m/b", "m/c")]
        situation = Situation(logical_turn=4)
        assert select_runtimes(declarations, situation) == ("m/a", "m/b", "m/c")
        schedule = Schedule(declarations, situation, selected=("m/c", "m/a"))
        assert drive(schedule) == [["m/c", "m/a"]]

    def test_a_layer_must_be_settled_before_the_next(self) -> None:
        schedule = build([runtime("m/a")])
        schedule.next_layer()
        with pytest.raises(ValueError, match="not settled"):
            schedule.next_layer()
        with pytest.raises(ValueError, match="open layer"):
            schedule.settle({"m/b": RunOutcome()})
        schedule.settle({"m/a": RunOutcome()})
        assert schedule.next_layer() == ()


@st.composite
def runtime_sets(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Runtimes with random stages, edges by ID and contract, and subscriptions."""
    ids = [f"p{n % 3}/r{n}" for n in range(draw(st.integers(1, 9)))]
    some_ids = st.lists(st.sampled_from(ids), max_size=2)
    contracts = st.sampled_from([None, "a@1", "b@1"])
    found = []
    for runtime_id in ids:
        data: dict[str, Any] = {"id": runtime_id, "needs": draw(some_ids), "after": draw(some_ids)}
        if contract := draw(contracts):
            data["contract"] = contract
        if contract := draw(contracts):
            data["inputs"] = {
                "x": {"from": {"contract": contract}, "required": draw(st.booleans())}
            }
        stage = draw(st.sampled_from(["setup", "pre-turn", "post-turn", None]))
        if stage is None:
            data["trigger"] = {"type": "event", "topic": draw(st.sampled_from(["t.a", "t.b"]))}
        else:
            data |= {"stage": stage, "trigger": AUTO}
        found.append(data)
    return found


@given(
    runtimes=runtime_sets(),
    data=st.data(),
    policy=st.sampled_from(["warn", "strict"]),
)
def test_every_schedule_ends_obeys_its_edges_and_ignores_the_order_of_declarations(
    runtimes: list[dict[str, Any]], data: st.DataObject, policy: Any
) -> None:
    outcomes = {
        r["id"]: {
            "status": data.draw(st.sampled_from(["success", "success", "failed"])),
            "completes_setup": data.draw(st.booleans()),
            **emits(*data.draw(st.lists(st.sampled_from(["t.a", "t.b"]), max_size=2))),
        }
        for r in runtimes
    }

    def facts(ordered: list[dict[str, Any]]) -> Any:
        schedule = Schedule(
            [declare(r) for r in ordered], Situation(logical_turn=4), effects_policy=policy
        )
        layers = drive(schedule, outcomes)
        return layers, schedule.skips, schedule.jobs, schedule.hazards, schedule.deliveries

    layers, skips, *_ = result = facts(runtimes)
    assert facts(data.draw(st.permutations(runtimes))) == result
    assert len(layers) <= 3 * len(runtimes) ** 2
    succeeded: set[str] = set()
    by_id = {r["id"]: r for r in runtimes}
    for layer in layers:
        for runtime_id in layer:
            assert set(by_id[runtime_id]["needs"]) <= succeeded
        succeeded |= {r for r in layer if outcomes[r]["status"] == "success"}
    ran = {runtime_id for layer in layers for runtime_id in layer}
    for selected in select_runtimes([declare(r) for r in runtimes], Situation(logical_turn=4)):
        assert (selected in ran) != (selected in {skip.runtime_id for skip in skips})


def steps(count: int) -> int:
    """Function calls and lines that a schedule of `count` linked runtimes takes."""
    declarations = [
        declare(
            runtime(
                f"p/r{n:05d}",
                after=[f"p/r{n - 1:05d}"] if n % 50 else [],
                contract="facts@1" if n % 2 else None,
                inputs={"x": {"from": {"contract": "words@1"}, "required": False}},
            )
        )
        for n in range(count)
    ]
    declarations += [declare(runtime(f"w/r{n}", contract="words@1")) for n in range(count)]
    taken, tracer = 0, sys.gettrace()

    def count_step(*_: object) -> Any:
        nonlocal taken
        taken += 1
        return count_step

    sys.settrace(count_step)
    try:
        drive(Schedule(declarations, Situation(logical_turn=4)))
    finally:
        sys.settrace(tracer)
    return taken


def test_cost_is_linear_in_runtimes_and_edges() -> None:
    assert steps(2000) < 2.2 * steps(1000)
