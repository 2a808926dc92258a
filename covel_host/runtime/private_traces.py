"""What a character is asked and intends: no trace keeps it (seed: 角色委托与策略导入)."""

from typing import Final

from covel_host.base.json_text import dump_json
from covel_host.runtime.run import RuntimeRun
from covel_host.tools.call_arguments import arguments_object
from covel_host.tools.refusals import DELEGATE
from plugin_sdk.values import JsonObject, JsonValue

_PRIVATE: Final = ("brief", "instruction")
"""Members of a request to a character that nothing but its model sees."""


def without_private(arguments: str) -> JsonObject | None:
    """The arguments of a request to a character without what is meant for it alone.

    None of any other request.
    """
    read = arguments_object(arguments)
    if read is None or "character" not in read:
        return None
    return {name: value for name, value in read.items() if name not in _PRIVATE}


def traced_reply(run: RuntimeRun, facts: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The facts of a model's reply as the trace of `run` keeps them."""
    task = None if run.nested is None else run.nested.task
    calls = facts.get("toolCalls")
    asked = calls if isinstance(calls, list) else []
    if task is not None and task.character_id is not None:
        named: list[JsonValue] = [{"name": one["name"]} for one in asked if isinstance(one, dict)]
        shown = {name: told for name, told in facts.items() if name != "reasoningContent"}
        return {**shown, "text": "", "toolCalls": named}
    if not any(isinstance(one, dict) and one.get("name") == DELEGATE for one in asked):
        return facts
    return {**facts, "toolCalls": [_shown(one) for one in asked]}


def _shown(call: JsonValue) -> JsonValue:
    if not isinstance(call, dict) or call.get("name") != DELEGATE:
        return call
    kept = without_private(str(call.get("arguments")))
    return call if kept is None else {**call, "arguments": dump_json(kept)}
