"""The host's rules about tools: which one decides, and where in a call it does."""

import asyncio
import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.base.clock import SystemClock
from covel_host.tools.approval import ApprovalPolicy, ApprovalRule, RuleUnreadable, parse_rule
from covel_host.tools.executor import ToolExecutor
from covel_host.tools.registry import ToolSource
from plugin_sdk.tools import tool
from tests.support.tool_calls import ToolBench


@pytest.mark.parametrize("source", get_args(ToolSource))
def test_without_rules_every_tool_is_allowed(source: ToolSource) -> None:
    assert ApprovalPolicy().status("look", source) == "auto-allowed"


def test_the_first_rule_that_fits_decides() -> None:
    rules = [parse_rule("deny look"), parse_rule("allow local:*"), parse_rule("deny local:*")]
    policy = ApprovalPolicy(rules)
    assert policy.status("look", "local") == "denied"
    assert policy.status("keep", "local") == "auto-allowed"
    assert ApprovalPolicy(rules[2:]).status("keep", "local") == "denied"


def test_a_rule_with_a_name_does_not_ask_for_the_source() -> None:
    policy = ApprovalPolicy([parse_rule("deny look")])
    assert {policy.status("look", source) for source in get_args(ToolSource)} == {"denied"}


def test_tools_of_data_sets_count_as_the_packages_own() -> None:
    policy = ApprovalPolicy([parse_rule("deny local:*")])
    assert policy.status("npcs-get", "dataset") == "denied"
    assert policy.status("render-ui", "builtin") == "auto-allowed"


@given(
    effect=st.sampled_from(["allow", "deny"]),
    subject=st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True),
)
def test_a_written_rule_is_read_as_it_was_meant(effect: str, subject: str) -> None:
    rule = parse_rule(f" {effect}  {subject} ")
    assert (rule.effect, rule.subject) == (effect, subject)


@pytest.mark.parametrize(
    "text", ["", "deny", "look", "forbid look", "deny *", "deny dataset:*", "deny a b"]
)
def test_what_is_no_rule_is_told_what_one_looks_like(text: str) -> None:
    with pytest.raises(RuleUnreadable, match="such as 'deny render-ui'"):
        parse_rule(text)


def test_a_denied_tool_is_refused_before_its_arguments_are_read() -> None:
    called = []

    @tool(name="look")
    async def look(at: str) -> object:
        """Look."""
        called.append(at)
        return {}

    bench = ToolBench(look)
    bench.executor = ToolExecutor(
        clock=SystemClock(), approval=ApprovalPolicy([ApprovalRule("deny", "look")])
    )
    result = asyncio.run(bench.call("look", "no JSON at all"))
    assert json.loads(result.envelope)["error"] == {
        "code": "refused",
        "message": 'A rule of this host denies the tool "look".',
    }
    assert (result.status, result.approval, called) == ("failed", "denied", [])
    assert bench.log.events[-1].data["approvalStatus"] == "denied"


def test_what_never_came_to_the_rules_has_no_word_of_them() -> None:
    @tool(name="look")
    async def look() -> object:
        """Look."""
        return {}

    bench = ToolBench(look)
    bench.authorized = set()
    result = asyncio.run(bench.call("look"))
    assert result.error is not None
    assert (result.error.code, result.approval) == ("unavailable", None)
    assert "approvalStatus" not in bench.log.events[-1].data
