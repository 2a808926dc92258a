"""What a reply costs, as far as the slot says (spec/models.md 11)."""

from collections.abc import Mapping

from covel_host.models.messages import CostEstimate, Usage
from plugin_sdk.values import JsonValue

_TOKENS_PER_PRICE = 1_000_000


def estimated_cost(usage: Usage, pricing: Mapping[str, JsonValue]) -> CostEstimate | None:
    """The cost of `usage` by a slot's `pricing`, prices being per million tokens.

    Cached input and input written to the cache have prices of their own; where one is missing those
    tokens stay without a price. `None` when nothing of it has one.
    """
    cached = usage.cached_input_tokens or 0
    written = usage.cache_write_input_tokens or 0
    parts = (
        ("input", max(usage.input_tokens - cached - written, 0)),
        ("cacheRead", cached),
        ("cacheWrite", written),
        ("output", usage.output_tokens),
    )
    counted = [(pricing.get(name), tokens) for name, tokens in parts if tokens]
    priced = [
        price * tokens
        for price, tokens in counted
        if isinstance(price, (int, float)) and not isinstance(price, bool)
    ]
    if not priced:
        return None
    return CostEstimate(
        amount=round(sum(priced) / _TOKENS_PER_PRICE, 9),
        currency=str(pricing.get("currency") or "USD"),
        is_complete=len(priced) == len(counted),
    )
