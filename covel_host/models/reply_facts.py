"""What a trace keeps of one call, answered or failed (spec/models.md 11)."""

from collections.abc import Sequence

from covel_host.models.errors import ModelError, TriedSlot
from covel_host.models.messages import ModelReply, ModelRequest, Usage
from covel_host.models.slots import Slot
from plugin_sdk.values import JsonValue


def calling_facts(
    request: ModelRequest, slot: Slot | None, *, attempt: int
) -> dict[str, JsonValue]:
    """What of a request is no part of its prompt; without a `slot` no configured model answers."""
    facts: dict[str, JsonValue] = {"attempt": attempt, "streaming": request.stream}
    if slot is not None:
        facts |= {
            "slot": slot.name,
            "provider": slot.provider.value,
            "model": slot.model.value,
            "maxOutputTokens": slot.output_limit(request.max_output_tokens),
        }
    if request.response_schema is not None:
        facts["responseFormat"] = "json"
    return facts


def reply_facts(reply: ModelReply) -> dict[str, JsonValue]:
    """The reply, who really gave it, and what it took; members without content are left out."""
    facts: dict[str, JsonValue] = {
        "text": reply.text,
        "toolCalls": [
            {"id": call.call_id, "name": call.name, "arguments": call.arguments}
            for call in reply.calls
        ],
        "finishReason": reply.finish_reason,
        "provider": reply.provider,
        "model": reply.model,
        "usage": usage_facts(reply.usage),
    }
    if reply.slot is not None:
        facts |= {"slot": reply.slot, "httpRequests": reply.http_requests}
    if reply.reasoning:
        facts["reasoningContent"] = reply.reasoning
    if reply.raw_finish_reason is not None:
        facts["rawFinishReason"] = reply.raw_finish_reason
    if reply.queued_ms:
        facts["queueWaitMs"] = reply.queued_ms
    if reply.cost is not None:
        facts["cost"] = reply.cost.to_json()
    return facts | _tried_facts(reply.tried)


def failure_facts(error: ModelError) -> dict[str, JsonValue]:
    """Why there is no reply, and what was tried."""
    facts: dict[str, JsonValue] = {"error": error.message, "code": error.code}
    known: dict[str, JsonValue] = {
        "kind": error.error_kind,
        "status": error.status,
        "slot": error.facts.slot,
        "providerCode": error.facts.provider_code,
        "providerType": error.facts.provider_type,
        "httpRequests": error.facts.http_requests,
    }
    facts |= {name: value for name, value in known.items() if value is not None}
    return facts | _tried_facts(error.facts.tried)


def usage_facts(usage: Usage) -> dict[str, JsonValue]:
    """Tokens by kind; cache parts only where the provider told them."""
    facts: dict[str, JsonValue] = {
        "inputTokens": usage.input_tokens,
        "outputTokens": usage.output_tokens,
    }
    if usage.cached_input_tokens is not None:
        facts["cachedInputTokens"] = usage.cached_input_tokens
    if usage.cache_write_input_tokens is not None:
        facts["cacheWriteInputTokens"] = usage.cache_write_input_tokens
    return facts


def _tried_facts(tried: Sequence[TriedSlot]) -> dict[str, JsonValue]:
    if not tried:
        return {}
    entries: list[JsonValue] = [
        {
            "slot": entry.slot,
            "provider": entry.provider,
            "model": entry.model,
            "code": entry.code,
            "reason": entry.reason,
            "status": entry.status,
            "httpRequests": entry.http_requests,
            "durationMs": entry.duration_ms,
        }
        for entry in tried
    ]
    return {"tried": entries}
