"""Which tools a model sees, which it may call, and what fails before it is asked."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

from covel_host.tools.registry import ToolRegistry
from covel_host.turn.admission import ManualRequest
from tests.support.hosts import Played, opened, play, played_on
from tests.support.packages import write_package
from tests.support.replies import Reply, call, calls, done, say
from tests.support.tool_calls import PackageTools

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


def on_registry(home: Path, registry: ToolRegistry, *replies: Reply) -> Played:
    async def main() -> Played:
        async with opened(home, *replies) as host:
            host.ports = replace(host.ports, registry=registry)
            return await played_on(host, ManualRequest(target="demo"))

    return asyncio.run(main())


def test_a_declared_tool_that_is_not_registered_fails_before_any_model_call(tmp_path: Path) -> None:
    package(tmp_path)
    played = on_registry(tmp_path, ToolRegistry(PackageTools({})))
    assert played.requests == []
    assert played.report.failure is not None
    assert played.report.failure.message == (
        'runtime "demo" declares plugin tool "first", but its plugin did not register it'
    )
    assert played.rows.turn is not None
    assert played.rows.turn.commit_status == "failed"


def test_a_builtin_tool_this_host_lacks_is_left_out_with_a_warning(tmp_path: Path) -> None:
    package(tmp_path, tools={"builtin": ["render-ui"], "plugin": []})
    played = on_registry(tmp_path, ToolRegistry(PackageTools({})), say("Done."))
    assert offered(played) == []
    assert played.report.result.warnings == (
        'builtin tool "render-ui" is not installed on this host — not offered',
        'builtin tool "runtime-done" is not installed on this host — not offered',
    )
    assert len(played.kept_result["warnings"]) == 2
