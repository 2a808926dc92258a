"""Model slots as text and JSON; keys are only ever named, never shown."""

from collections.abc import Mapping

from covel_host.base.json_text import dump_json
from covel_host.base.unicode_text import storable_text
from covel_host.cli.failures import error_facts
from covel_host.cli.output import one_line, table
from covel_host.models.probe import ProbeResult
from covel_host.models.slots import Slot, SlotTable

_REPLY = 80
_NOT_CONFIGURED = """\
No model slot is configured, so the offline model answers: it fills in tool calls and writes
placeholder text. To use a model, set COVEL_LLM_MODEL and the key of its provider, such as

  export COVEL_LLM_PROVIDER=openai COVEL_LLM_MODEL=<model> OPENAI_API_KEY=<key>

or write llm.toml into the home; see docs/models.md.
"""


def models_json(slots: SlotTable, tests: Mapping[str, ProbeResult]) -> dict[str, object]:
    """`{file, answers, slots, tests}`; `answers` is what a task without a slot goes to."""
    return {
        "file": slots.file or None,
        "answers": _answering(slots) or "offline",
        "slots": [_slot_json(slot) for slot in slots.slots.values()],
        "tests": {name: _test_json(result) for name, result in tests.items()},
    }


def models_text(slots: SlotTable, tests: Mapping[str, ProbeResult]) -> str:
    """Every slot with its settings and their origins, what answers, and the tests."""
    parts = [f"{slots.file}\n\n" if slots.file else ""]
    parts += [_slot_text(slot) for slot in slots.slots.values()]
    answering = _answering(slots)
    if answering is not None:
        parts.append(f"Tasks that name no slot, or one that is missing, go to {answering!r}.\n")
    elif slots.slots:
        parts.append("No slot gives text, so the offline model answers.\n")
    else:
        parts.append(_NOT_CONFIGURED)
    if tests:
        rows = [(name, _test_text(result)) for name, result in tests.items()]
        parts.append(f"\nTest calls\n{table(rows, indent='  ')}")
    return "".join(parts)


def _answering(slots: SlotTable) -> str | None:
    slot = slots.for_text(None)
    return None if slot is None else slot.name


def _slot_json(slot: Slot) -> dict[str, object]:
    problem = slot.problem()
    return {
        "name": slot.name,
        "settings": {
            name: {"value": setting.value, "origin": setting.origin}
            for name, setting in slot.settings()
        },
        "key": {
            "variable": slot.key.variable,
            "isSet": slot.key.value is not None,
            "isNeeded": slot.needs_key,
            "withheld": slot.key.withheld,
        },
        "isReady": problem is None,
        "problem": None
        if problem is None
        else error_facts(problem.code, problem.message, problem.hint),
    }


def _slot_text(slot: Slot) -> str:
    rows = [(name, _value_text(setting.value), setting.origin) for name, setting in slot.settings()]
    rows.append(("key", f"{slot.key.variable}, {_key_state(slot)}", "environment"))
    problem = slot.problem()
    state = "ready" if problem is None else f"cannot answer: {problem.message}"
    hint = f"  {problem.hint}\n" if problem is not None and problem.hint else ""
    return f"{slot.name}\n{table(rows, indent='  ')}  {state}\n{hint}\n"


def _key_state(slot: Slot) -> str:
    if slot.key.withheld is not None:
        return "withheld"
    if slot.key.value is not None:
        return "set"
    return "not set" if slot.needs_key else "not set, and not needed on this machine"


def _value_text(value: object) -> str:
    return value if isinstance(value, str) else dump_json(value)


def _test_json(result: ProbeResult) -> dict[str, object]:
    document: dict[str, object] = {
        "isOk": result.error is None,
        "firstOutputMs": result.first_output_ms,
        "totalMs": result.total_ms,
    }
    if result.reply is not None:
        document |= {
            # A broken escape in a reply gives half a character.
            "text": storable_text(result.reply.text),
            "provider": result.reply.provider,
            "model": result.reply.model,
        }
    if result.error is not None:
        error = result.error
        facts = error_facts(error.code, error.message, error.hint)
        document["error"] = {**facts, "kind": error.error_kind}
    return document


def _test_text(result: ProbeResult) -> str:
    if result.error is not None:
        hint = f" {result.error.hint}" if result.error.hint else ""
        return f"failed, {result.error.error_kind}: {result.error.message}{hint}"
    assert result.reply is not None
    first = "" if result.first_output_ms is None else f", first output {result.first_output_ms} ms"
    said = one_line(result.reply.text, limit=_REPLY)
    return f"ok in {result.total_ms} ms{first}: {said!r}"
