"""What the trace of a run keeps of the prompts of its model calls (spec/protocol.md 3.7)."""

from dataclasses import replace
from typing import Final

from covel_host.base.json_text import dump_json
from covel_host.hooks.message_forms import message_json
from covel_host.models.messages import (
    AssistantMessage,
    ModelCall,
    ModelRequest,
    SystemMessage,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from covel_host.runtime.private_traces import without_private
from covel_host.runtime.prompt_inputs import PromptParts
from covel_host.runtime.prompt_outline import PromptOutline
from covel_host.runtime.run import RuntimeRun
from covel_host.tools.calls import ToolCallResult
from covel_host.tools.refusals import DELEGATE
from covel_host.trace.prompts import SentPrompt
from plugin_sdk.values import JsonValue

PRIVATE: Final = "[private]"
"""What stands for a text that only the model it was sent to may see."""


class TracedPrompts:
    """Describes the prompts of one run, the same object for all of its calls.

    A character's prompts are its own affair; the one that asked it keeps of its answers what
    records keep, and of a concealed provider's nothing. The values of concealed runtimes that the
    run was given are not shown (seed: 角色委托与策略导入).
    """

    def __init__(self, run: RuntimeRun) -> None:
        task = None if run.nested is None else run.nested.task
        self._is_private = task is not None and task.character_id is not None
        self._hidden = run.hidden_texts
        self._envelopes: dict[str, str] = {}
        # One function: what is described once is known by it.
        self._describe = self._described

    def sent(self, request: ModelRequest, parts: PromptParts) -> SentPrompt:
        """The prompt of a request for the trace, which was made from `parts`."""
        return SentPrompt(
            request.messages,
            request.tools,
            describe=self._describe,
            hidden=self._hidden,
            outline=None if self._is_private else PromptOutline(parts).to_json,
        )

    def answered(self, result: ToolCallResult) -> None:
        """Remember what the trace shows of a call's answer, where that is less than all of it."""
        if result.request.name == DELEGATE:
            shown = result.envelope if result.shown_envelope is None else result.shown_envelope
            self._envelopes[result.envelope] = shown

    def _described(self, item: object) -> JsonValue:
        if isinstance(item, ToolSpec):
            return {
                "name": item.name,
                "description": item.description,
                "jsonSchema": item.input_schema,
            }
        assert isinstance(item, (SystemMessage, UserMessage, AssistantMessage, ToolMessage))
        if self._is_private:
            return {"role": message_json(item)["role"], "content": PRIVATE}
        if isinstance(item, ToolMessage) and item.tool_name == DELEGATE:
            item = replace(item, text=self._envelopes.get(item.text, PRIVATE))
        elif isinstance(item, AssistantMessage) and item.calls:
            item = replace(item, calls=tuple(_shown(call) for call in item.calls))
        return message_json(item)


def _shown(call: ModelCall) -> ModelCall:
    kept = without_private(call.arguments) if call.name == DELEGATE else None
    return call if kept is None else replace(call, arguments=dump_json(kept))
