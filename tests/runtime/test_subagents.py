"""Sub-agents: whom a request reaches, what it gets, what comes back, what is kept of it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from covel_host.models.messages import UserMessage
from covel_host.proposals.world_view import WorldView
from covel_host.runtime.nested import NestedRequest
from covel_host.runtime.nested_limits import MAX_AT_ONCE, MAX_CHARACTERS, SubagentLimits
from covel_host.runtime.result import RuntimeResult
from covel_host.runtime.runs import new_run
from covel_host.schemas.compiled import compile_schema
from plugin_sdk.errors import ToolError
from tests.runtime.conftest import BenchMaker
from tests.support.nested import BenchNested, write_runtimes
from tests.support.replies import Reply, call, calls, done, say
from tests.support.runs import RunBench
from tests.support.worlds import world_of

ID = "0f8fad5b-d9cb-469f-a165-70867728950e"
MARA = {"id": "npc-mara", "name": "Mara", "aliases": ["The Keeper"], "type": "npc", "fields": {}}
CALLER = {
    "description": "A package of a test.",
    "runtime": {
        "schedule": {"trigger": {"type": "manual"}},
        "agent": {"tools": {"builtin": ["delegate"], "plugin": []}},
    },
}
SCOUT_IO = {"io": {"output": {"contract": "scout@1"}}}
LINES = {"segments": [{"kind": "dialogue", "text": "Who is there?"}], "intent": "to flee"}


def scouts(folder: Path, name: str = "north", **more: Any) -> Any:
    described = {**SCOUT_IO, "agent": {}, **more}
    return write_runtimes(
        folder / name,
        {"scout": described},
        provides=["scout@1"],
        contracts={"scout@1": {"schema": "./scout.json"}},
    )


def actors(folder: Path) -> Any:
    return write_runtimes(
        folder / "cast",
        {"actor": {"agent": {}, "io": {"output": {"contract": "character-actor@1"}}}},
        provides=["character-actor@1"],
        contracts={"character-actor@1": {"schema": "./actor.json"}},
    )


def play(
    bench: RunBench, nested: BenchNested, *, world: WorldView | None = None, **facts: Any
) -> RuntimeResult:
    """The caller's run, with all that it starts."""

    async def main() -> RuntimeResult:
        staging = bench.staging() if world is None else bench.staging(world=world)
        run = bench.run(staging=staging, **facts)
        try:
            return await new_run(run, nested.ports).result()
        finally:
            assert await bench.executor.close() == ()
            assert await bench.tasks.close() == ()

    return asyncio.run(main())


def ask(**members: Any) -> Reply:
    return calls(call("delegate", {"target": {"contract": "scout@1"}, "brief": "Look.", **members}))


def answer(result: RuntimeResult, place: int = 0) -> Any:
    return json.loads(result.tool_calls[place].envelope)


def asked(
    bench: BenchMaker, tmp_path: Path, *replies: Reply, **members: Any
) -> tuple[RuntimeResult, RunBench, BenchNested]:
    made = bench(manifest=CALLER, replies=[ask(**members), *replies])
    nested = BenchNested(made, scouts(tmp_path))
    return play(made, nested), made, nested


def events(bench: RunBench, prefix: str) -> list[Any]:
    return [event for event in bench.log.events if event.type.startswith(prefix)]


# --- what it gets and gives ------------------------------------------------------------------


def test_the_brief_is_all_that_it_is_asked_and_its_output_comes_back(
    bench: BenchMaker, tmp_path: Path
) -> None:
    result, made, nested = asked(bench, tmp_path, say("A pier."), done(), data={"place": "north"})
    assert answer(result) == {"data": "A pier."}
    sent = made.gateway.requests[1].messages
    assert sent[-1] == UserMessage("Look.")
    assert '"place"' in str(sent)
    assert nested.results[0].nested == "subagent"


def test_code_and_completion_read_the_raw_output_and_the_model_a_projected_one(
    bench: BenchMaker, tmp_path: Path
) -> None:
    text = json.dumps({"id": ID, "found": 3})
    made = bench(manifest=CALLER, replies=[ask(), say(text), done()])
    generation = scouts(tmp_path)
    nested = BenchNested(made, generation, output_schema=None)
    result = play(made, nested)
    assert result.tool_calls[0].content == text


def test_the_trace_tells_of_it_like_of_any_tool_and_points_back(
    bench: BenchMaker, tmp_path: Path
) -> None:
    _, made, _ = asked(bench, tmp_path, say("A pier."), done())
    calling = next(event for event in events(made, "tool.calling"))
    assert calling.data["approvalStatus"] == "auto-allowed"
    started, completed = events(made, "subagent.")
    assert (started.type, completed.type) == ("subagent.started", "subagent.completed")
    assert completed.data["parentCallId"] == calling.data["toolCallId"]
    assert completed.data["usage"] == {"calls": 1, "inputTokens": 10, "outputTokens": 5}
    inner = [event for event in made.log.events if event.run_id == "run-2"]
    assert inner
    assert {event.parent_id for event in inner} == {"run-1"}


def test_only_its_steps_can_be_lowered(bench: BenchMaker, tmp_path: Path) -> None:
    made = bench(manifest=CALLER, replies=[ask(maxSteps=1), calls(call("x")), done()])
    generation = scouts(tmp_path, agent={"loop": {"maxSteps": 3}})
    nested = BenchNested(made, generation)
    result = play(made, nested)
    assert nested.results[0].steps == 1
    assert answer(result)["error"]["code"] == "internal"
    assert result.status == "success"


def test_its_text_is_never_shown(bench: BenchMaker, tmp_path: Path) -> None:
    _, made, _ = asked(bench, tmp_path, say("A pier."), done())
    assert "A pier." not in "".join(made.shown)


# --- whom it reaches -------------------------------------------------------------------------


def test_nobody_and_several_are_told_apart_and_are_no_failures_of_the_caller(
    bench: BenchMaker, tmp_path: Path
) -> None:
    for generations, code in (
        ([], "not-found"),
        ([scouts(tmp_path, "a"), scouts(tmp_path, "b")], "ambiguous"),
    ):
        made = bench(manifest=CALLER, replies=[ask(), done()])
        result = play(made, BenchNested(made, *generations))
        assert answer(result)["error"]["code"] == code
        assert result.status == "success"
        failed = events(made, "tool.failed")[0]
        assert failed.data["refused"] is True
        made.close()
        (tmp_path / "covel.db").unlink()


def test_a_runtime_id_means_the_own_package_only(bench: BenchMaker, tmp_path: Path) -> None:
    request = ask(target={"runtimeId": "north/scout"})
    made = bench(manifest=CALLER, replies=[request, done()])
    result = play(made, BenchNested(made, scouts(tmp_path)))
    assert answer(result)["error"]["code"] == "not-found"


@pytest.mark.parametrize(
    ("target", "near"),
    [({"runtimeId": "scout"}, "It has: north/scout."), ({"contract": "scuot@1"}, "'scout@1'")],
)
def test_a_slip_is_answered_with_what_there_is(
    bench: BenchMaker, tmp_path: Path, target: dict[str, str], near: str
) -> None:
    made = bench(manifest=CALLER, replies=[ask(target=target), done()])
    result = play(made, BenchNested(made, scouts(tmp_path)), plugin_id="north")
    assert near in answer(result)["error"]["hint"]


def test_a_runtime_of_the_own_package_is_found(bench: BenchMaker, tmp_path: Path) -> None:
    request = ask(target={"runtimeId": "north/scout"})
    made = bench(manifest=CALLER, replies=[request, say("Here."), done()])
    result = play(made, BenchNested(made, scouts(tmp_path)), plugin_id="north")
    assert answer(result) == {"data": "Here."}


def test_a_host_without_nested_runs_says_so(bench: BenchMaker) -> None:
    result = bench(manifest=CALLER, replies=[ask(), done()]).play()
    assert answer(result)["error"]["code"] == "unavailable"


@pytest.mark.parametrize(
    "members",
    [
        {"brief": ""},
        {"target": {}},
        {"maxSteps": 0},
        {"character": "Mara"},
        {"instruction": "Whisper."},
    ],
)
def test_a_wrong_request_counts_as_a_failed_call(
    bench: BenchMaker, tmp_path: Path, members: dict[str, Any]
) -> None:
    result, made, nested = asked(bench, tmp_path, done(), **members)
    assert answer(result)["error"]["code"] == "invalid-input"
    assert "refused" not in events(made, "tool.failed")[0].data
    assert nested.results == []


# --- failure ---------------------------------------------------------------------------------


def test_a_failed_sub_agent_leaves_the_caller_to_go_on(bench: BenchMaker, tmp_path: Path) -> None:
    made = bench(manifest=CALLER, replies=[ask(), say(finish="error"), done()])
    result = play(made, BenchNested(made, scouts(tmp_path, agent={"loop": {"maxRetries": 0}})))
    assert answer(result)["error"]["code"] == "internal"
    assert [event.type for event in events(made, "subagent.")][-1] == "subagent.failed"
    assert result.status == "success"


# --- what it may do --------------------------------------------------------------------------


def test_it_has_neither_delegate_nor_tools_that_write(bench: BenchMaker, tmp_path: Path) -> None:
    builtin = ["delegate", "suspend", "list-characters", "create-form", "sync-characters"]
    made = bench(manifest=CALLER, replies=[ask(), say("Done."), done()])
    nested = BenchNested(made, scouts(tmp_path, agent={"tools": {"builtin": builtin}}))
    play(made, nested)
    offered = [spec.name for spec in made.gateway.requests[1].tools]
    assert "list-characters" in offered
    assert not {"delegate", "suspend", "create-form", "sync-characters"} & {*offered}


def test_a_story_it_tells_is_its_output_and_nothing_else(bench: BenchMaker, tmp_path: Path) -> None:
    described = {"agent": {}, "io": {"visibility": "story"}}
    generation = write_runtimes(tmp_path / "north", {"teller": described})
    request = ask(target={"runtimeId": "north/teller"})
    made = bench(manifest=CALLER, replies=[request, say("Once."), done()])
    nested = BenchNested(made, generation)
    result = play(made, nested, plugin_id="north")
    assert answer(result) == {"data": "Once."}
    assert (nested.results[0].proposals, result.proposals) == ((), ())


# --- characters ------------------------------------------------------------------------------


def acted(
    bench: BenchMaker, tmp_path: Path, *replies: Reply, caller: Any = CALLER, **members: Any
) -> tuple[RuntimeResult, RunBench, BenchNested]:
    target = {"contract": "character-actor@1"}
    request = {"target": target, "character": "the keeper", **members}
    made = bench(manifest=caller, replies=[ask(**request), *replies])
    nested = BenchNested(
        made,
        actors(tmp_path, **members.pop("io", {})),
        output_schema=compile_schema({"type": "object"}),
    )
    return play(made, nested, world=world_of([MARA])), made, nested


def test_an_actor_gets_its_sheet_and_its_intent_stays_with_the_model(
    bench: BenchMaker, tmp_path: Path
) -> None:
    result, made, nested = acted(
        bench, tmp_path, say(json.dumps(LINES)), done(), instruction="Whisper the secret."
    )
    assert answer(result) == {"data": LINES}
    assert result.tool_calls[0].content == {"segments": LINES["segments"]}
    assert result.tool_calls[0].arguments == {
        "target": {"contract": "character-actor@1"},
        "character": "the keeper",
    }
    assert '"Mara"' in str(made.gateway.requests[1].messages)
    assert nested.results[0].character_id == "npc-mara"
    told = "".join(str((event.data, event.prompt_parts)) for event in made.log.events)
    assert "to flee" not in told
    assert "secret" not in told
    assert "[private]" in told


@pytest.mark.parametrize("name", ["npc-mara", ID, "Nobody"])
def test_an_id_is_no_name(bench: BenchMaker, tmp_path: Path, name: str) -> None:
    result, _, nested = acted(bench, tmp_path, done(), character=name)
    assert answer(result)["error"]["code"] == "not-found"
    assert nested.results == []


@pytest.mark.parametrize("members", [{"character": None}, {"data": {"a": 1}}, {"character": " "}])
def test_an_actor_needs_a_name_and_takes_no_data(
    bench: BenchMaker, tmp_path: Path, members: dict[str, Any]
) -> None:
    result, _, _ = acted(bench, tmp_path, done(), **members)
    assert answer(result)["error"]["code"] == "invalid-input"


@pytest.mark.parametrize(
    "output",
    [
        {"segments": [{"kind": "dialogue", "text": "Hm.", "speaker": "Mara"}]},
        {"segments": [{"kind": "narration", "text": "Night."}]},
        {"lines": []},
    ],
)
def test_an_actor_that_answers_in_another_form_has_failed(
    bench: BenchMaker, tmp_path: Path, output: Any
) -> None:
    result, made, _ = acted(bench, tmp_path, say(json.dumps(output)), done())
    assert answer(result)["error"]["code"] == "internal"
    assert [event.type for event in events(made, "subagent.")][-1] == "subagent.failed"


def test_a_delegation_that_ends_the_caller_hands_on_the_segments_only(
    bench: BenchMaker, tmp_path: Path
) -> None:
    caller = json.loads(json.dumps(CALLER))
    caller["runtime"]["agent"]["completion"] = {"afterTools": ["delegate"]}
    result, _, _ = acted(bench, tmp_path, say(json.dumps(LINES)), caller=caller)
    assert result.failure is None
    assert result.value == {"segments": LINES["segments"]}


def test_a_concealed_provider_hands_on_nothing(bench: BenchMaker, tmp_path: Path) -> None:
    caller = json.loads(json.dumps(CALLER))
    caller["runtime"]["agent"]["completion"] = {"afterTools": ["delegate"]}
    made = bench(manifest=caller, replies=[ask(), say("A secret pier.")])
    generation = scouts(tmp_path, io={"output": {"contract": "scout@1"}, "concealed": True})
    result = play(made, BenchNested(made, generation))
    assert (result.status, result.value, result.has_value) == ("success", None, False)
    told = [str(event.data) for event in made.log.events if event.run_id == "run-1"]
    assert "secret pier" not in "".join(told)


# --- limits ----------------------------------------------------------------------------------


def test_no_place_is_waited_for() -> None:
    limits = SubagentLimits()
    running = [limits.running(is_character=False) for _ in range(MAX_AT_ONCE)]
    for one in running:
        one.__enter__()
    with pytest.raises(ToolError, match="at once"), limits.running(is_character=False):
        pass
    running[0].__exit__(None, None, None)
    with limits.running(is_character=False):
        pass


def test_an_execution_has_a_number_of_sub_agents_and_of_characters() -> None:
    limits = SubagentLimits()
    for _ in range(MAX_CHARACTERS):
        with limits.running(is_character=True):
            pass
    with pytest.raises(ToolError, match="16 characters"), limits.running(is_character=True):
        pass
    for _ in range(32 - MAX_CHARACTERS):
        with limits.running(is_character=False):
            pass
    with pytest.raises(ToolError, match="32 sub-agents"), limits.running(is_character=False):
        pass


def test_nine_at_once_leave_one_without_a_place(bench: BenchMaker, tmp_path: Path) -> None:
    together = asyncio.Barrier(MAX_AT_ONCE)

    class Crowd(BenchNested):
        async def run(self, request: NestedRequest) -> RuntimeResult:
            await together.wait()
            return await super().run(request)

    async def one(ctx: Any) -> object:
        try:
            return await ctx.agents.run(contract="scout@1", brief="Look.")
        except ToolError as error:
            return error.code

    async def handle(ctx: Any) -> object:
        return await asyncio.gather(*(one(ctx) for _ in range(MAX_AT_ONCE + 1)))

    made = bench(replies=[say("A pier.")] * MAX_AT_ONCE)
    result = play(made, Crowd(made, scouts(tmp_path)), handler=handle)
    assert result.value == [*["A pier."] * MAX_AT_ONCE, "unavailable"]


def test_the_prompts_of_who_asked_a_concealed_provider_do_not_show_its_answer(
    bench: BenchMaker, tmp_path: Path
) -> None:
    made = bench(manifest=CALLER, replies=[ask(), say("A secret pier."), done()])
    generation = scouts(tmp_path, io={"output": {"contract": "scout@1"}, "concealed": True})
    result = play(made, BenchNested(made, generation))
    assert result.failure is None
    assert "A secret pier." in str(made.gateway.requests[2].messages)
    # The bench conceals no run, so of the provider's own events nothing is asked here.
    own = [event for event in made.log.events if event.run_id == "run-1"]
    assert "secret pier" not in "".join(str((one.data, one.prompt_parts)) for one in own)
