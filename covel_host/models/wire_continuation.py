"""What a provider wants to see again of its own replies: signed or sealed reasoning.

It goes back to the same protocol, model and address alone (spec/models.md 6), as the library's
parts in JSON, so that it survives being stored.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, TypeAlias, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_ai import messages as wire

from covel_host.models.messages import AssistantMessage, Continuation, ModelCall
from covel_host.models.slots import Slot

ReplyIdentity: TypeAlias = tuple[str, str, str]
"""Protocol, model and address of a reply."""


def identity_of(slot: Slot) -> ReplyIdentity:
    """Who answers for `slot`."""
    return slot.protocol.value, slot.model.value, slot.base_url.value


def continuation_of(
    parts: Sequence[wire.ModelResponsePart], identity: ReplyIdentity
) -> Continuation | None:
    """What to give back with a reply of these parts, `None` when the provider asks for nothing."""
    if not any(_is_signed(part) for part in parts):
        return None
    protocol, model, address = identity
    return Continuation(
        protocol=protocol,
        model=model,
        address=address,
        parts=_part_list().dump_python(list(parts), mode="json"),
    )


def earlier_parts(item: AssistantMessage, identity: ReplyIdentity) -> list[wire.ModelResponsePart]:
    """The parts of an earlier reply.

    What the conversation says of it counts: a text that was changed and calls that were left out or
    repaired stay so.
    """
    kept = _kept_parts(item.continuation, identity)
    open_calls = {call.call_id: call for call in item.calls}
    parts: list[wire.ModelResponsePart] = []
    same_text = _text_of(kept) == item.text
    for part in kept:
        if isinstance(part, wire.TextPart):
            if same_text:
                parts.append(part)
        elif isinstance(part, wire.ToolCallPart):
            if (call := open_calls.pop(part.tool_call_id, None)) is not None:
                parts.append(replace(cast(wire.ToolCallPart, part), **_said(call)))
        else:
            parts.append(part)
    if item.text and not same_text:
        parts.append(wire.TextPart(item.text))
    return parts + [_call(call) for call in open_calls.values()]


def _kept_parts(
    continuation: Continuation | None, identity: ReplyIdentity
) -> list[wire.ModelResponsePart]:
    if continuation is None:
        return []
    if (continuation.protocol, continuation.model, continuation.address) != identity:
        return []
    try:
        return _part_list().validate_python(continuation.parts)
    except ValidationError:
        # Another version of the library wrote it; a reply without it is still a reply.
        return []


@cache
def _part_list() -> TypeAdapter[list[wire.ModelResponsePart]]:
    return TypeAdapter(list[wire.ModelResponsePart])


def _is_signed(part: wire.ModelResponsePart) -> bool:
    if isinstance(part, wire.ThinkingPart):
        return True
    return bool(cast(Any, part).provider_details)


def _text_of(parts: Sequence[wire.ModelResponsePart]) -> str:
    return "".join(part.content for part in parts if isinstance(part, wire.TextPart))


def _said(call: ModelCall) -> dict[str, Any]:
    return {"tool_name": call.name, "args": call.arguments}


def _call(call: ModelCall) -> wire.ToolCallPart:
    # Arguments that are no JSON object go out wrapped in one, which providers accept.
    return wire.ToolCallPart(call.name, call.arguments, tool_call_id=call.call_id)
