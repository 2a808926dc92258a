"""Which tools a model sees, which it may call, and what fails before it is asked."""

from pathlib import Path
from typing import Any

from tests.runtime.conftest import BenchMaker
from tests.support.hosts import Played, play
from tests.support.packages import write_package
from tests.support.replies import call, calls, done, say
from tests.support.runs import RunBench

CODE = """
@tool(name="first")
async def first() -> object:
    '''First.'''

@tool(name="second")
async def second() -> object:
    '''Second.'''
"""


def package(home: Path, *, io: Any = None, **agent: Any) -> str:
    return write_package(
        home / "plugins" / "demo", code=CODE, tools=["first", "second"], agent=agent, io=io
    )


def offered(played: Played) -> list[str]:
    return [spec.name for spec in played.requests[0].tools]


def test_an_inline_agent_that_lists_none_gets_all_tools_of_its_package(tmp_path: Path) -> None:
    package(tmp_path)
    assert offered(play(tmp_path, "demo", done())) == ["first", "second", "runtime-done"]


def test_only_the_listed_tools_are_offered_in_their_order(tmp_path: Path) -> None:
    package(tmp_path, tools={"plugin": ["second"]})
    played = play(tmp_path, "demo", done())
    assert offered(played) == ["second", "runtime-done"]
    assert played.requests[0].completion is not None
    assert played.requests[0].completion.own_tools == ("second",)
    package(tmp_path, tools={"plugin": []})
    assert offered(play(tmp_path, "demo", done())) == ["runtime-done"]


def test_runtime_done_is_neither_offered_nor_allowed_beside_a_completing_tool(
    tmp_path: Path,
) -> None:
    package(tmp_path, completion={"require": "tool-use", "afterTools": ["first"]})
    played = play(tmp_path, "demo", done(), calls(call("first")))
    assert offered(played) == ["first", "second"]
    assert '"unavailable"' in played.envelopes[0]
    package(
        tmp_path,
        completion={"require": "tool-use", "afterTools": ["first"]},
        tools={"builtin": ["runtime-done"], "plugin": ["first"]},
    )
    played = play(tmp_path, "demo", done(), calls(call("first")))
    assert offered(played) == ["first", "runtime-done"]
    assert "unavailable" not in played.envelopes[0]


def test_a_story_may_call_runtime_done_though_it_is_not_offered(tmp_path: Path) -> None:
    package(tmp_path, io={"visibility": "story"})
    played = play(tmp_path, "demo", done(), say("Prose."))
    assert offered(played) == ["first", "second"]
    assert "unavailable" not in played.envelopes[0]


def test_a_declared_tool_that_is_not_registered_fails_before_any_model_call(
    bench: BenchMaker,
) -> None:
    runtime = {
        "schedule": {"trigger": {"type": "manual"}},
        "agent": {"tools": {"plugin": ["first"]}},
    }
    contributes = {"tools": ["first"]}
    made = bench(manifest={"description": "A.", "contributes": contributes, "runtime": runtime})
    failure = made.play().failure
    assert made.gateway.requests == []
    assert failure is not None
    assert failure.message == (
        'runtime "demo" declares plugin tool "first", but its plugin did not register it'
    )


def test_a_builtin_tool_this_host_lacks_is_left_out_with_a_warning(tmp_path: Path) -> None:
    manifest = {
        "description": "A package of a test.",
        "runtime": {
            "schedule": {"trigger": {"type": "manual"}},
            "agent": {"tools": {"builtin": ["create-form"], "plugin": []}},
        },
    }
    made = RunBench(tmp_path, manifest, replies=[say("Done.")], builtins={})
    result = made.play()
    made.close()
    assert made.gateway.requests[0].tools == ()
    assert result.warnings == (
        'builtin tool "create-form" is not installed on this host — not offered',
        'builtin tool "runtime-done" is not installed on this host — not offered',
    )
