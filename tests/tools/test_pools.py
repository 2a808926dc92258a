"""Grouping of the calls of one reply into pools and barriers."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.tools.pools import SERIAL_TOOLS, CallTarget, RequestedCall, group_calls

SAFE = CallTarget(read_only=True, concurrency_safe=True, authorized=True)
TARGETS = {
    "read": SAFE,
    "write": CallTarget(authorized=True),
    "foreign": CallTarget(read_only=True, concurrency_safe=True),
    **dict.fromkeys(SERIAL_TOOLS, SAFE),
}


def calls_of(names: list[str]) -> list[RequestedCall]:
    return [RequestedCall(f"c{index}", name) for index, name in enumerate(names)]


names = st.lists(st.sampled_from([*TARGETS, "unknown"]), max_size=20)


@given(names)
def test_every_call_runs_once_and_in_order(tools: list[str]) -> None:
    groups = group_calls(calls_of(tools), TARGETS)
    flat = [call_id for group in groups for call_id in group.call_ids]
    assert flat == [f"c{index}" for index in range(len(tools))]


@given(names)
def test_only_safe_authorized_reads_stand_in_a_pool(tools: list[str]) -> None:
    by_id = {call.call_id: call.tool for call in calls_of(tools)}
    for group in group_calls(calls_of(tools), TARGETS):
        assert group.is_pool == (by_id[group.call_ids[0]] == "read")
        assert group.is_pool or len(group.call_ids) == 1


@given(names)
def test_no_two_pools_stand_beside_each_other(tools: list[str]) -> None:
    groups = group_calls(calls_of(tools), TARGETS)
    assert not any(left.is_pool and right.is_pool for left, right in pairwise(groups))


@pytest.mark.parametrize("tool", sorted(SERIAL_TOOLS))
def test_tools_the_loop_handles_are_barriers_even_with_safe_annotations(tool: str) -> None:
    groups = group_calls(calls_of(["read", tool, "read"]), TARGETS)
    assert [group.call_ids for group in groups] == [("c0",), ("c1",), ("c2",)]


def test_no_calls_make_no_groups() -> None:
    assert group_calls([], TARGETS) == ()
