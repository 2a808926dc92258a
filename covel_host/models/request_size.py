"""How many tokens a request is likely to cost (spec/execution.md 5.3)."""

from collections.abc import Iterable

from covel_host.base.json_text import dump_json
from covel_host.models.messages import AssistantMessage, Message, ModelRequest, ToolSpec
from plugin_sdk.rules.tokens import estimate_tokens
from plugin_sdk.values import JsonValue

MESSAGE_OVERHEAD_TOKENS = 4
"""What a provider's framing of one message costs."""


def request_tokens(request: ModelRequest) -> int:
    """The estimated cost of everything that is sent."""
    beside = overhead_tokens(request.tools, response_schema=request.response_schema)
    return beside + sum(map(message_tokens, request.messages))


def message_tokens(message: Message) -> int:
    """The estimated cost of one message with its calls and its framing."""
    tokens = MESSAGE_OVERHEAD_TOKENS + estimate_tokens(message.text)
    if isinstance(message, AssistantMessage):
        for call in message.calls:
            tokens += MESSAGE_OVERHEAD_TOKENS + estimate_tokens(call.name + call.arguments)
    return tokens


def overhead_tokens(
    tools: Iterable[ToolSpec], *, response_schema: dict[str, JsonValue] | None = None
) -> int:
    """The estimated cost of what goes beside the messages; a response schema counts twice."""
    tokens = sum(
        MESSAGE_OVERHEAD_TOKENS
        + estimate_tokens(tool.name + tool.description + dump_json(tool.input_schema))
        for tool in tools
    )
    if response_schema is not None:
        tokens += 2 * estimate_tokens(dump_json(response_schema))
    return tokens
