"""What trace and audit keep of calls: what rules said, and whose failure a failure is."""

from pathlib import Path
from typing import Any

from tests.support.hosts import Played, play
from tests.support.packages import write_package
from tests.support.replies import call, calls, done
from tests.support.service_packages import trade, write_agent, write_provider

TOOLS = """
@tool(name="fail")
async def fail(code: str) -> object:
    '''Fail.'''
    raise ToolError(code, "No.")
"""


def traced(played: Played, event_type: str) -> list[dict[str, Any]]:
    """The data of the trace events of one type, in order."""
    return [dict(event.data) for event in played.observer.trace if event.type == event_type]


def test_a_call_is_announced_with_what_rules_say_of_it(tmp_path: Path) -> None:
    write_package(
        tmp_path / "plugins" / "bells",
        code=TOOLS,
        tools=["fail"],
        agent={"tools": {"plugin": ["fail"], "builtin": ["list-characters", "runtime-done"]}},
    )
    played = play(
        tmp_path,
        "bells",
        calls(call("fail", {"code": "refused"}), call("list-characters"), call("nothing")),
        done(),
        environ={"COVEL_TOOL_RULES": "deny list-characters"},
    )
    announced = [
        (told["toolName"], told.get("source"), told.get("approvalStatus"))
        for told in traced(played, "tool.calling")
    ]
    assert announced == [
        ("fail", "local", "auto-allowed"),
        ("list-characters", "builtin", "denied"),
        ("nothing", None, None),
        ("runtime-done", "builtin", "auto-allowed"),
    ]


def test_the_refused_flag_is_kept_in_audit_and_trace(tmp_path: Path) -> None:
    write_package(
        tmp_path / "plugins" / "bells",
        code=TOOLS,
        tools=["fail"],
        agent={"tools": {"plugin": ["fail"], "builtin": ["runtime-done"]}},
    )
    played = play(
        tmp_path,
        "bells",
        calls(call("fail", {"code": "refused"}), call("fail", {"code": "conflict"})),
        done(),
        environ={"COVEL_TOOL_RULES": ""},
    )
    flags = [error and error.get("refused") for error in kept_errors(played)]
    assert flags == [True, None, None]
    assert [told.get("refused") for told in traced(played, "tool.failed")] == [True, None]


def test_a_failed_service_is_flagged_and_refused_input_is_not(tmp_path: Path) -> None:
    code = """
        @service("stock.fail@1", kind="read", offer_to_models=True)
        async def fail(ctx: ServiceContext, how: dict[str, object]) -> object:
            '''Fail.'''
            raise ToolError(how["code"], "No.")
    """
    write_provider(tmp_path, code=code, contracts=["stock.items@1", "stock.take@1", "stock.fail@1"])
    write_agent(tmp_path, services=["stock.fail@1", "stock.gone@1"])
    wanted = [call("stock-fail", {"code": code}) for code in ("conflict", "invalid-input")]
    played = trade(tmp_path, calls(*wanted, call("stock-gone")), done())
    flags = [(error["code"], error.get("refused")) for error in kept_errors(played) if error]
    assert flags == [("conflict", True), ("invalid-input", None), ("unavailable", True)]


def kept_errors(played: Played) -> list[Any]:
    """The stored error of each call, None of one that succeeded."""
    return [row.error for row in played.rows.tool_calls]


def test_a_rule_is_kept_for_what_the_loop_answers_itself(tmp_path: Path) -> None:
    write_package(
        tmp_path / "plugins" / "bells",
        code=TOOLS,
        tools=["fail"],
        agent={
            "tools": {
                "plugin": ["fail"],
                "builtin": ["delegate", "runtime-done"],
                "defer": ["fail"],
            }
        },
    )
    asked = {"target": {"contract": "a.b@1"}, "brief": "Look."}
    played = play(
        tmp_path,
        "bells",
        calls(call("search-tools", {"query": "fail"}), call("delegate", asked)),
        done(),
        environ={"COVEL_TOOL_RULES": "allow runtime-done,deny builtin:*"},
    )
    denied = played.report.result.tool_calls[:2]
    codes = [one.error and (one.error.code, one.error.is_refused) for one in denied]
    # A denied call is a failure of the run: it is no tool that refuses.
    assert codes == [("refused", False), ("refused", False)]
    statuses = [told.get("approvalStatus") for told in traced(played, "tool.calling")]
    assert statuses == ["denied", "denied", "auto-allowed"]
    assert [row.approval for row in played.rows.tool_calls] == statuses
