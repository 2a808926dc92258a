"""The trace of a turn as text for people."""

from collections.abc import Iterator

from covel_host.base.json_text import dump_json
from covel_host.cli.output import counted, one_line, safe_text
from covel_host.cli.prompt_costs import costs_text, prompt_costs
from covel_host.cli.trace_facts import Prompt, TraceFacts
from covel_host.trace.prompts import PROMPT_MEMBERS
from covel_host.trace.report import Step, Totals, totals_of
from plugin_sdk.values import JsonObject, JsonValue

_SHOWN_APART = frozenset({"text", "toolCalls", "usage", "cost", "error"})
_VALUE = 100
_INDENT = "  "


def trace_text(facts: TraceFacts) -> str:
    """The turn, its steps below what they belong to, and what all of it took."""
    turn = facts.turn
    took = "" if turn.duration_ms is None else f", {turn.duration_ms:,} ms"
    revision = "" if turn.revision is None else f" as revision {turn.revision}"
    head = (
        f"{turn.turn_id}  turn {turn.sequence} of {turn.session_id}: "
        f"{turn.commit_status}{revision}, {turn.origin}{took}\n"
    )
    if turn.failure is not None:
        head += f"{_INDENT}{_plain(turn.failure.get('message'))} ({turn.failure.get('code')})\n"
    steps = "".join(_lines(facts.root, 1))
    return f"{head}{steps}{_totals(totals_of(facts.root))}"


def call_text(facts: TraceFacts, number: int) -> str:
    """One model call: what it took, and what came back."""
    call = facts.call(number)
    text = f"{_step_line(call)}\n"
    if call.is_concealed:
        return f"{text}{_INDENT}concealed: neither prompt nor reply is kept\n"
    members = {
        name: value
        for name, value in call.data.items()
        if name not in PROMPT_MEMBERS | _SHOWN_APART
    }
    text += "".join(f"{_INDENT}{name}: {_plain(value)}\n" for name, value in members.items())
    text += f"\n{_block('Reasoning', call.data.get('reasoningContent'))}"
    text += _block("Reply", call.data.get("text"))
    asked = call.data.get("toolCalls")
    for one in asked if isinstance(asked, list) else []:
        if isinstance(one, dict):
            text += f"call {_plain(one.get('name'))} {_plain(one.get('arguments'), limit=None)}\n"
    return text + _block("Error", call.data.get("error"))


def prompt_text(prompt: Prompt) -> str:
    """The messages and tools of one call in full, as they were sent, and what each part costs."""
    if prompt.call.is_concealed:
        return "The runtime is concealed: its prompts are not kept.\n"
    parts = [_message(one) for one in prompt.messages]
    parts += [f"=== tool\n{_pretty(tool)}\n" for tool in prompt.tools]
    return "".join([*parts, "=== tokens\n", costs_text(prompt_costs(prompt))])


def _lines(above: Step, depth: int) -> Iterator[str]:
    for step in above.steps:
        yield f"{_INDENT * depth}{_step_line(step)}\n"
        yield from _lines(step, depth + 1)


def _step_line(step: Step) -> str:
    data = step.data
    match step.kind:
        case "run":
            line = f"{_plain(data.get('runtimeId') or step.run_id)}: {step.status}{_took(data)}"
        case "model":
            line = f"#{step.number} model {_model(data)}: {_answer(data)}"
        case "tool":
            line = _tool_line(step)
        case "gateway":
            line = f"gateway {_plain(data.get('method'))} {_model(data)}: {_answer(data)}"
        case "service":
            name = f"{_plain(data.get('contract'))} of {_plain(data.get('providerPluginId'))}"
            line = f"service {name}: {data.get('outcome', step.status)}{_took(data)}"
        case "hook":
            line = f"hook {_plain(data.get('hookName'))} on {_plain(data.get('event'))}: "
            line += step.status + _took(data)
        case "subagent" | "recursive" | "function":
            line = f"{step.kind} {_plain(data.get('runtimeId'))}: {step.status}{_took(data)}"
        case "request":
            host = f"{_plain(data.get('method'))} {_plain(data.get('host'))}"
            line = f"request {host}: {step.status}{_took(data)}"
        case _:
            line = f"{step.status} {_short(data)}"
    return line + _why(data) + (" (concealed)" if step.is_concealed else "")


def _tool_line(step: Step) -> str:
    line = f"tool {_plain(step.data.get('toolName'))}"
    if not step.is_concealed:
        line += f" {_plain(step.data.get('arguments'))}"
    line += f": {step.status}{_took(step.data)}"
    return line if "code" in step.data or step.is_concealed else line + _result(step.data)


def _result(data: JsonObject) -> str:
    by_hook = ", replaced by a hook" if data.get("isReplaced") else ""
    return f"{by_hook} -> {_plain(data['result'])}" if data.get("result") else by_hook


def _model(data: JsonObject) -> str:
    model = _plain(data.get("model") or "?")
    return f"{model} (slot {_plain(data['slot'])})" if data.get("slot") else model


def _answer(data: JsonObject) -> str:
    usage = data.get("usage")
    if not isinstance(usage, dict):
        return "failed" + _took(data) if "code" in data else "no answer"
    cached = usage.get("cachedInputTokens")
    parts = [
        f"{usage.get('inputTokens', 0):,} in" + (f" ({cached:,} cached)" if cached else ""),
        f"{usage.get('outputTokens', 0):,} out",
    ]
    cost = data.get("cost")
    if isinstance(cost, dict):
        parts.append(_money(cost.get("amount"), cost.get("currency"), cost.get("isComplete")))
    if data.get("durationMs") is not None:
        parts.append(f"{data['durationMs']:,} ms")
    if data.get("queueWaitMs"):
        parts.append(f"waited {data['queueWaitMs']:,} ms")
    if data.get("finishReason"):
        parts.append(str(data["finishReason"]))
    return ", ".join(parts)


def _money(amount: JsonValue, currency: object, is_complete: JsonValue) -> str:
    shown = f"{amount:.6f}".rstrip("0").rstrip(".") if isinstance(amount, (int, float)) else "?"
    return f"{'' if is_complete else 'at least '}{shown} {currency}"


def _took(data: JsonObject) -> str:
    took = data.get("durationMs")
    return f", {took:,} ms" if isinstance(took, int) else ""


def _why(data: JsonObject) -> str:
    error = data.get("error")
    if isinstance(error, dict):
        return f": {_plain(error.get('message'))} ({_plain(error.get('code'))})"
    if isinstance(error, str):
        refused = ", refused" if data.get("refused") else ""
        return f": {_plain(error)} ({_plain(data.get('code'))}{refused})"
    reason = data.get("reason")
    return f": {_plain(reason)}" if isinstance(reason, str) else ""


def _totals(totals: Totals) -> str:
    parts = [
        f"{counted(totals.model_calls, 'model call')}: {totals.input_tokens:,} tokens in"
        + (f" ({totals.cached_input_tokens:,} cached)" if totals.cached_input_tokens else "")
        + f", {totals.output_tokens:,} out, {totals.model_ms:,} ms",
        *(
            _money(amount, currency, totals.is_cost_complete)
            for currency, amount in sorted(totals.cost.items())
        ),
    ]
    for number, name in (
        (totals.tool_calls, "tool call"),
        (totals.services, "service call"),
        (totals.subagents, "sub-agent"),
        (totals.recursive_calls, "recursive call"),
        (totals.hooks, "hook call"),
        (totals.hazards, "hazard"),
        (totals.failures, "failure"),
    ):
        if number:
            parts.append(counted(number, name))
    return f"Total: {'; '.join(parts)}\n"


def _message(message: JsonValue) -> str:
    if not isinstance(message, dict):
        return f"=== {_plain(message)}\n"
    name = f" {message['toolName']}" if "toolName" in message else ""
    text = f"=== {message.get('role')}{safe_text(name)}\n"
    content = str(message.get("content", ""))
    if content:
        text += safe_text(content) + "\n"
    calls = message.get("toolCalls")
    for one in calls if isinstance(calls, list) else []:
        if isinstance(one, dict):
            text += f"call {_plain(one.get('name'))} {_plain(one.get('arguments'), limit=None)}\n"
    return text


def _block(title: str, value: JsonValue) -> str:
    return f"{title}:\n{safe_text(str(value))}\n" if value else ""


def _pretty(value: JsonValue) -> str:
    import json

    return safe_text(json.dumps(value, indent=2, ensure_ascii=False))


def _short(data: JsonObject) -> str:
    return " ".join(f"{name}={_plain(value)}" for name, value in data.items())


def _plain(value: JsonValue, *, limit: int | None = _VALUE) -> str:
    text = value if isinstance(value, str) else dump_json(value)
    return safe_text(text) if limit is None else safe_text(one_line(text, limit=limit))
