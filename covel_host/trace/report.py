"""A stored trace put together: what began and how it ended is one step, runs hold their steps."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from covel_host.trace.concealment import CONCEALED
from covel_host.trace.tree import Traced, TraceNode, build_tree
from plugin_sdk.values import JsonObject, JsonValue

StepKind = Literal[
    "model", "tool", "service", "gateway", "function", "subagent", "recursive", "request", "hook",
    "hazard", "run", "other",
]  # fmt: skip

_KINDS: Final[dict[str, StepKind]] = {
    "llm": "model",
    "tool": "tool",
    "plugin": "service",
    "gateway": "gateway",
    "function": "function",
    "subagent": "subagent",
    "recursive": "recursive",
    "utils": "request",
    "hook": "hook",
    "scheduling": "hazard",
}
_BEGINS: Final = frozenset({"calling", "started", "executing"})
_ENDS: Final = frozenset({"completed", "failed", "responded"})
_PAIRED: Final = frozenset(
    {"model", "tool", "gateway", "function", "subagent", "recursive", "request"}
)
_OF_RUN: Final = frozenset({"turn", "runtime"})


@dataclass(slots=True)
class Step:
    """One thing that happened; of a run, everything in it.

    `data` has the members of its events together, the later ones winning. `number` counts the
    model calls of the turn from 1. `status` is what its last event says, such as `completed`.
    """

    kind: StepKind
    status: str
    position: int
    run_id: str | None = None
    number: int | None = None
    data: JsonObject = field(default_factory=dict)
    steps: list["Step"] = field(default_factory=list)

    @property
    def is_concealed(self) -> bool:
        """Whether the trace keeps no content of it."""
        return self.data.get(CONCEALED) is True

    def all_steps(self) -> Iterator["Step"]:
        """Every step below this one, each before what is in it."""
        for step in self.steps:
            yield step
            yield from step.all_steps()


@dataclass(slots=True)
class Totals:
    """What a turn took; `cost` is an estimate by currency, `is_cost_complete` says of all of it."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    model_ms: int = 0
    queue_wait_ms: int = 0
    tool_calls: int = 0
    services: int = 0
    subagents: int = 0
    recursive_calls: int = 0
    hooks: int = 0
    hazards: int = 0
    failures: int = 0
    cost: dict[str, float] = field(default_factory=dict)
    is_cost_complete: bool = True


def trace_report(events: Iterable[Traced]) -> Step:
    """The turn as a step that holds its runs and what happened around them."""
    tree = build_tree(events)
    root = Step("run", "", -1)
    _fill(root, tree)
    _number(root)
    return root


def totals_of(turn: Step) -> Totals:
    """What all steps of a turn took together."""
    totals = Totals()
    for step in turn.all_steps():
        _count(totals, step)
    return totals


def _fill(above: Step, node: TraceNode) -> None:
    pending: list[Step] = []
    for child in node.children:
        if child.event is None:
            run = Step("run", "", _first(child), run_id=child.run_id)
            above.steps.append(run)
            _fill(run, child)
            continue
        _enter(above, child.event, pending)


def _enter(above: Step, event: Traced, pending: list[Step]) -> None:
    room, _, what = event.type.partition(".")
    what = what.rpartition(".")[2] or what
    if room in _OF_RUN:
        above.data = {**above.data, **event.data}
        above.status = what
        return
    if event.type == "tool.replaced":
        _replace(above, event)
        return
    kind = _KINDS.get(room, "other")
    if kind in _PAIRED and what not in _BEGINS:
        begun = _begun(pending, kind, event)
        if begun is not None:
            begun.data = {**begun.data, **event.data}
            begun.status = what if what in _ENDS else begun.status
            if what in _ENDS:
                pending.remove(begun)
            return
    step = Step(kind, what, event.position, run_id=event.run_id, data=dict(event.data))
    if kind == "other":
        step.status = event.type
    above.steps.append(step)
    if what in _BEGINS:
        pending.append(step)


def _begun(pending: list[Step], kind: StepKind, event: Traced) -> Step | None:
    """The step that the event ends: the first one of its kind and call that is still open."""
    call = _call_id(event.data)
    for step in pending:
        if step.kind == kind and _call_id(step.data) == call:
            return step
    return None


def _call_id(data: JsonObject) -> JsonValue:
    return data.get("toolCallId", data.get("parentCallId"))


def _replace(above: Step, event: Traced) -> None:
    """A hook gave the model another result of a call that had ended."""
    for step in reversed(above.steps):
        if step.kind == "tool" and _call_id(step.data) == _call_id(event.data):
            step.data = {**step.data, **event.data, "isReplaced": True}
            return


def _first(node: TraceNode) -> int:
    child = node.children[0]
    return _first(child) if child.event is None else child.event.position


def _number(root: Step) -> None:
    calls = sorted(
        (step for step in root.all_steps() if step.kind == "model"), key=lambda one: one.position
    )
    for number, step in enumerate(calls, start=1):
        step.number = number


def _count(totals: Totals, step: Step) -> None:
    if step.status == "failed" or (step.kind == "model" and "code" in step.data):
        totals.failures += 1
    if step.kind == "hook":
        totals.hooks += 1
    elif step.kind == "hazard":
        totals.hazards += 1
    elif step.kind == "tool":
        totals.tool_calls += 1
    elif step.kind == "service":
        totals.services += 1
    elif step.kind == "subagent":
        # Its runs are counted by what is in them.
        totals.subagents += 1
    elif step.kind == "recursive":
        totals.recursive_calls += 1
    elif step.kind in ("model", "gateway"):
        _count_call(totals, step.data)


def _count_call(totals: Totals, data: JsonObject) -> None:
    usage = data.get("usage")
    used = usage if isinstance(usage, dict) else {}
    totals.model_calls += 1
    totals.input_tokens += _whole(used.get("inputTokens"))
    totals.output_tokens += _whole(used.get("outputTokens"))
    totals.cached_input_tokens += _whole(used.get("cachedInputTokens"))
    totals.model_ms += _whole(data.get("durationMs"))
    totals.queue_wait_ms += _whole(data.get("queueWaitMs"))
    cost = data.get("cost")
    if not isinstance(cost, dict):
        totals.is_cost_complete = False
        return
    currency, amount = str(cost.get("currency")), cost.get("amount")
    if isinstance(amount, (int, float)):
        totals.cost[currency] = round(totals.cost.get(currency, 0.0) + amount, 9)
    totals.is_cost_complete = totals.is_cost_complete and cost.get("isComplete") is True


def _whole(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0
