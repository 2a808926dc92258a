"""`pools.json`: the calls of one reply in groups that may run together."""

from typing import Any

from covel_host.tools.pools import CallTarget, RequestedCall, group_calls


def check(vector: dict[str, Any]) -> None:
    targets = {
        name: CallTarget(
            read_only=facts.get("readOnly", False),
            concurrency_safe=facts.get("concurrencySafe", False),
            authorized=facts.get("authorized", False),
        )
        for name, facts in vector["tools"].items()
    }
    rewritten = vector.get("rewritten_by_hook", {})
    calls = [
        RequestedCall(call["id"], rewritten.get(call["id"], call["name"]))
        for call in vector["calls"]
    ]
    groups = [list(group.call_ids) for group in group_calls(calls, targets)]
    assert groups == vector["groups"]


CHECKS = {None: check}
