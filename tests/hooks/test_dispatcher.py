"""What the hooks of an event do to it: chains, aborts, failures, traces."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from covel_host.hooks.outcomes import HookOutcome
from plugin_sdk.hook_events import (
    HOOK_EVENTS,
    ProposalCommit,
    RuntimeStart,
    Schedule,
    SessionStart,
    ToolCall,
    TurnStart,
    TurnStop,
)
from plugin_sdk.hooks import HookResult, abort, proceed
from plugin_sdk.proposals import EventEmit
from tests.hooks.support import Scene, hook, ring


def dispatched(scene: Scene, payload: Any = None, event: str = "pre_tool_use") -> HookOutcome[Any]:
    wanted = ring(times=2) if payload is None else payload
    return asyncio.run(scene.dispatcher.dispatch(event, wanted, scene.facts))


def renamed(name: str) -> Callable[[ToolCall], HookResult]:
    def rename(call: ToolCall) -> HookResult:
        return proceed(replace={"name": f"{call.name}+{name}"})

    return rename


def test_an_event_without_hooks_gives_its_payload_back() -> None:
    scene, call = Scene(), ring()
    assert not scene.dispatcher.listens("pre_tool_use")
    outcome = dispatched(scene, call)
    assert outcome.payload is call
    assert (outcome.aborted, outcome.effects, scene.traced) == (None, {}, [])


def test_the_next_hook_sees_what_the_former_replaced() -> None:
    scene = Scene(hook(renamed("one")), hook(renamed("two"), position=1))
    assert dispatched(scene).payload == ToolCall(
        id="c1", name="ring-bell+one+two", arguments={"times": 2}
    )
    assert scene.traced == ["hook.rewrote rename", "hook.rewrote rename"]


def test_plain_and_async_hooks_are_called_by_the_names_they_take() -> None:
    seen: list[object] = []

    async def both(ctx: Any, call: Any) -> None:
        seen.append((ctx.event, call.name))

    def nothing() -> None:
        seen.append("nothing")

    def swapped(call: Any, ctx: Any) -> None:
        seen.append((call.name, ctx.session_id))

    dispatched(Scene(hook(both), hook(nothing, position=1), hook(swapped, position=2)))
    assert seen == [("PreToolUse", "ring-bell"), "nothing", ("ring-bell", "session-1")]


def test_changing_the_payload_in_place_does_nothing() -> None:
    def spoil(call: ToolCall) -> None:
        call.arguments["times"] = 99
        call.arguments["list"].append("spoilt")  # type: ignore[union-attr]

    def spoil_in_match(call: ToolCall) -> bool:
        call.arguments.clear()
        return True

    given = ring(times=2, list=[])
    scene = Scene(hook(spoil, match=spoil_in_match), hook(spoil, position=1))
    assert dispatched(scene, given).payload == ring(times=2, list=[])
    assert given == ring(times=2, list=[])
    assert scene.traced == ["hook.fired spoil", "hook.fired spoil"]


def test_a_replacement_is_a_copy_of_its_own() -> None:
    kept: dict[str, Any] = {"times": [1]}

    def replace_arguments() -> HookResult:
        return proceed(replace={"arguments": kept})

    payload = dispatched(Scene(hook(replace_arguments))).payload
    kept["times"].append(2)
    assert payload.arguments == {"times": [1]}


def test_an_abort_ends_the_chain_and_names_the_package() -> None:
    def stop() -> HookResult:
        return abort("too loud")

    scene = Scene(hook(renamed("one")), hook(stop, position=1), hook(renamed("two"), position=2))
    outcome = dispatched(scene)
    assert (outcome.aborted, outcome.aborted_by) == ("too loud", "bells")
    assert scene.traced == ["hook.rewrote rename", "hook.aborted stop"]
    told = scene.data(1)
    assert told.pop("durationMs") >= 0
    assert told == {
        "event": "PreToolUse",
        "hookName": "stop",
        "pluginId": "bells",
        "runtimeId": "tower/keeper",
        "targetId": "c1",
        "reason": "too loud",
        "isGuard": True,
    }


def test_an_abort_elsewhere_ends_the_chain_and_stops_nothing() -> None:
    def drop_last(schedule: Schedule) -> HookResult:
        return proceed(replace={"triggered": schedule.triggered[:-1]})

    def stop() -> HookResult:
        return abort("enough")

    scene = Scene(
        hook(drop_last, "pre_schedule"),
        hook(stop, "pre_schedule", position=1),
        hook(drop_last, "pre_schedule", position=2),
    )
    outcome = dispatched(scene, Schedule(triggered=("a", "b", "c")), "pre_schedule")
    assert outcome.payload.triggered == ("a", "b")
    assert (outcome.aborted, outcome.aborted_by) == (None, None)
    assert scene.traced == ["hook.rewrote drop_last", "hook.aborted stop"]


def test_a_failure_on_a_guard_event_has_the_effect_of_an_abort() -> None:
    def fail() -> None:
        raise ValueError("the key is sk-abcdefghijklmnopqrstuvwx")

    scene = Scene(hook(fail), hook(renamed("two"), position=1))
    outcome = dispatched(scene)
    assert outcome.aborted == "The hook 'fail' of the package 'bells' failed."
    assert outcome.aborted_by == "bells"
    assert scene.traced == ["hook.error fail", "hook.aborted fail"]
    told = scene.data(0)
    assert (told["kind"], told["errorType"]) == ("raised", "ValueError")
    assert told["message"] == "the key is [redacted]"
    assert "Traceback" not in json.dumps(told)


def test_a_failure_elsewhere_is_passed_over_and_earlier_replacements_are_kept() -> None:
    def drop_first(schedule: Schedule) -> HookResult:
        return proceed(replace={"triggered": schedule.triggered[1:]})

    def fail() -> None:
        raise RuntimeError

    scene = Scene(
        hook(drop_first, "pre_schedule"),
        hook(fail, "pre_schedule", position=1),
        hook(drop_first, "pre_schedule", position=2),
    )
    outcome = dispatched(scene, Schedule(triggered=("a", "b", "c")), "pre_schedule")
    assert (outcome.payload.triggered, outcome.aborted) == (("c",), None)
    assert scene.traced == [
        "hook.rewrote drop_first",
        "hook.error fail",
        "hook.rewrote drop_first",
    ]
    assert scene.data(1)["message"] == "RuntimeError"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"action": "abort"}, "of type 'dict'. A hook returns None, proceed(…) or abort(…)."),
        (False, "of type 'bool'"),
        (HookResult(action="stop"), "action is 'stop'"),  # type: ignore[arg-type]
        (HookResult(action="abort"), "reason of abort(…) is None"),
        (abort(" "), "reason of abort(…) is ' '"),
        (abort(3), "reason of abort(…) is 3"),  # type: ignore[arg-type]
        (HookResult(action="continue", replace=[1]), "of type 'list'"),  # type: ignore[arg-type]
        (HookResult(action="continue", replace={1: 2}), "of type 'dict'"),  # type: ignore[dict-item]
        (proceed(replace={"name": "x", "arguments": [1]}), "'arguments' is of type 'list'"),
        (proceed(replace={"arguments": {"x": object()}}), "'arguments' has no JSON form"),
        (proceed(replace={"arguments": {"x": float("nan")}}), "'arguments' has no JSON form"),
        (proceed(replace={"name": " "}), "'name' is ' '; it must be a text that is not empty"),
    ],
)
def test_an_answer_of_another_form_is_a_failure(answer: object, said: str) -> None:
    def answers() -> object:
        return answer

    scene = Scene(hook(answers))
    outcome = dispatched(scene)
    assert outcome.aborted == (
        "The hook 'answers' of the package 'bells' gave an answer that cannot be used."
    )
    assert outcome.payload == ring(times=2)
    told = scene.data(0)
    assert (told["kind"], told["errorType"]) == ("answer", "InvalidAnswer")
    assert said in told["message"]


def test_a_plain_hook_that_returns_a_coroutine_is_told_to_be_async() -> None:
    async def inner() -> None: ...

    def plain() -> object:
        return inner()

    scene = Scene(hook(plain))
    assert dispatched(scene).aborted
    assert "Write 'async def'" in scene.data(0)["message"]


def test_members_that_do_not_count_are_ignored_and_told() -> None:
    def replaces() -> HookResult:
        return proceed(replace={"id": "c9", "Name": "x", "name": "ring-bell"})

    scene = Scene(hook(replaces))
    assert dispatched(scene).payload == ring(times=2)
    assert scene.traced == ["hook.fired replaces"]
    assert scene.data(0)["ignored"] == ["Name", "id"]
    (told,) = scene.dispatcher.failures_told_to(scene.facts.trace)
    assert "answered PreToolUse with 'Name', 'id', which counts for nothing" in told
    assert told.endswith("it may replace: name, arguments.")


def test_pre_runtime_lets_nothing_be_replaced() -> None:
    def replaces() -> HookResult:
        return proceed(replace={"manifest": {}, "input": 1})

    start = RuntimeStart(manifest={"description": "x"}, input=None)
    scene = Scene(hook(replaces, "pre_runtime"))
    assert dispatched(scene, start, "pre_runtime").payload is start


def test_match_decides_whether_a_hook_is_called() -> None:
    async def never() -> HookResult:
        return abort("called")

    scene = Scene(
        hook(renamed("no"), match=lambda call: call.name == "other"),
        hook(never, match=lambda call: call.name == "other"),
        hook(renamed("yes"), match=lambda call: call.name == "ring-bell", position=1),
    )
    assert dispatched(scene).payload.name == "ring-bell+yes"
    assert scene.traced == ["hook.rewrote rename"]


async def _async_match(call: ToolCall) -> bool:
    return True


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("match", "kind", "said"),
    [
        (lambda call: 1 / 0, "match-raised", "division by zero"),
        (lambda call: "yes", "answer", "'match' returned a value of type 'str'"),
        (_async_match, "answer", "'match' returned a value of type 'coroutine'"),
    ],
)
def test_a_match_that_fails_is_a_failure_of_the_hook(
    match: Callable[[Any], Any], kind: str, said: str, is_async: bool
) -> None:
    called = False

    def plain() -> None:
        nonlocal called
        called = True

    async def asynchronous() -> None:
        plain()

    scene = Scene(hook(asynchronous if is_async else plain, match=match))
    assert dispatched(scene).aborted
    assert not called
    assert scene.data(0)["kind"] == kind
    assert said in scene.data(0)["message"]


def test_hooks_of_packages_that_are_not_active_are_never_called() -> None:
    scene = Scene(hook(renamed("other"), plugin_id="other"), hook(renamed("own")))
    assert dispatched(scene).payload.name == "ring-bell+own"


def test_hooks_run_by_group_then_in_the_order_of_their_packages() -> None:
    scene = Scene(
        hook(renamed("a"), plugin_id="a"),
        hook(renamed("b"), plugin_id="b"),
        hook(renamed("post"), plugin_id="b", order="post"),
        active=["a", "b"],
        dependencies={"a": ["b"]},
    )
    assert dispatched(scene).payload.name == "ring-bell+b+a+post"


def test_a_hook_may_dispatch_the_event_it_is_called_for() -> None:
    depth = 0

    async def again(call: ToolCall) -> None:
        nonlocal depth
        depth += 1
        if depth < 3:
            await scene.dispatcher.dispatch("pre_tool_use", call, scene.facts)

    scene = Scene(hook(again))
    assert dispatched(scene).aborted is None
    assert depth == 3


def test_events_dispatched_at_once_do_not_wait_for_each_other() -> None:
    async def both() -> list[str]:
        gate = asyncio.Event()

        async def waits(call: ToolCall) -> None:
            if call.name == "ring-bell":
                await gate.wait()
            else:
                gate.set()

        scene = Scene(hook(waits))
        other = ToolCall(id="c2", name="other", arguments={})
        async with asyncio.TaskGroup() as group:
            for call in (ring(), other):
                group.create_task(scene.dispatcher.dispatch("pre_tool_use", call, scene.facts))
        return scene.traced

    assert asyncio.run(both()) == ["hook.fired waits", "hook.fired waits"]


def test_parallel_hooks_run_at_once_and_change_nothing() -> None:
    async def observed() -> Scene:
        gate = asyncio.Event()
        seen: list[str] = []

        async def first() -> HookResult:
            await gate.wait()
            seen.append("first")
            return abort("no")

        async def second(turn: TurnStop) -> HookResult:
            turn.runtime_results[0]["status"] = "spoilt"
            gate.set()
            seen.append("second")
            return proceed(replace={"duration_ms": 0})

        def fails() -> None:
            raise KeyError("lost")

        scene = Scene(
            hook(first, "turn_stop"),
            hook(second, "turn_stop", position=1),
            hook(fails, "turn_stop", position=2),
        )
        payload = TurnStop(runtime_results=({"status": "success"},), duration_ms=7)
        await scene.dispatcher.observe("turn_stop", payload, scene.facts)
        assert payload == TurnStop(runtime_results=({"status": "success"},), duration_ms=7)
        assert seen == ["second", "first"]
        return scene

    scene = asyncio.run(observed())
    assert scene.traced == ["hook.fired first", "hook.fired second", "hook.error fails"]
    assert [scene.data(0)["ignored"], scene.data(1)["ignored"]] == [["abort"], ["duration_ms"]]
    assert scene.data(2)["isGuard"] is False


def test_observing_without_hooks_does_nothing() -> None:
    scene = Scene()
    start = SessionStart(session_id="session-1")
    asyncio.run(scene.dispatcher.observe("session_start", start, scene.facts))
    assert scene.traced == []


def test_the_trace_of_a_commit_names_the_type_of_the_proposal() -> None:
    def looks() -> None: ...

    scene = Scene(hook(looks, "pre_state_commit"))
    dispatched(scene, ProposalCommit(proposal=EventEmit(topic="bell.rung")), "pre_state_commit")
    assert scene.data(0)["proposalType"] == "event.emit"


def test_an_event_is_called_in_its_own_way() -> None:
    async def misused() -> None:
        def any_hook() -> None: ...

        scene = Scene(hook(any_hook, "turn_start"), hook(any_hook, "turn_stop"))
        start = TurnStart(player_message="", active_runtimes=())
        with pytest.raises(AssertionError, match="is dispatched, not observed"):
            await scene.dispatcher.observe("turn_start", start, scene.facts)
        with pytest.raises(AssertionError, match="is observed, not dispatched"):
            await scene.dispatcher.dispatch("turn_stop", start, scene.facts)

    asyncio.run(misused())
    assert {event.mode for event in HOOK_EVENTS.values()} == {"sequential", "parallel"}
