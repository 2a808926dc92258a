"""Which tool calls of one model reply may run together (seed: 同一批调用的执行).

Consecutive calls of authorized tools that are read-only and safe to run beside others form a pool;
every other call is a barrier and runs alone. The executor runs a group's calls together, at most
`MAX_PARALLEL_CALLS` at a time, and the groups one after the other; results are gathered in the
order of the calls.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

MAX_PARALLEL_CALLS = 8
"""Calls of one pool that run at the same time; a pool itself may be longer."""

SERIAL_TOOLS = frozenset({"delegate", "runtime-done", "search-tools", "suspend"})
"""Tools that the agent loop handles itself; always barriers, whatever they are annotated with."""


@dataclass(frozen=True, slots=True)
class CallTarget:
    """What grouping needs to know about a tool that exists."""

    read_only: bool = False
    concurrency_safe: bool = False
    authorized: bool = False


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """One call of a reply; `tool` is the name that `pre_tool_use` hooks have left."""

    call_id: str
    tool: str


@dataclass(frozen=True, slots=True)
class CallGroup:
    """Calls that may run together, in the order of the reply; a barrier is one call alone."""

    call_ids: tuple[str, ...]
    is_pool: bool


def group_calls(
    calls: Iterable[RequestedCall], targets: Mapping[str, CallTarget]
) -> tuple[CallGroup, ...]:
    """The `calls` of one reply as pools and barriers, in running order.

    `targets` holds the tools that exist, by name. No call is lost, doubled or moved.
    """
    groups: list[CallGroup] = []
    for is_pool, run in groupby(calls, key=lambda call: _may_pool(call, targets)):
        call_ids = tuple(call.call_id for call in run)
        if is_pool:
            groups.append(CallGroup(call_ids, is_pool=True))
        else:
            groups.extend(CallGroup((call_id,), is_pool=False) for call_id in call_ids)
    return tuple(groups)


def _may_pool(call: RequestedCall, targets: Mapping[str, CallTarget]) -> bool:
    if call.tool in SERIAL_TOOLS:
        return False
    target = targets.get(call.tool)
    return target is not None and target.authorized and target.read_only and target.concurrency_safe
