"""How much of a model's window a request may fill (spec/execution.md 5.3)."""

from dataclasses import dataclass

UNKNOWN_WINDOW_TOKENS = 262_144
DEFAULT_OUTPUT_TOKENS = 16_384


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """The window of one call and what of it is kept free for the answer."""

    window_tokens: int
    output_tokens: int

    @property
    def input_tokens(self) -> int:
        return self.window_tokens - self.output_tokens


def resolve_budget(
    *,
    context_window_tokens: int | None = None,
    max_output_tokens: int | None = None,
    window_cap_tokens: int | None = None,
) -> TokenBudget:
    """The budget of one call, from the slot that is really used.

    Args:
        context_window_tokens: the model's window; `None` is taken for 262,144.
        max_output_tokens: what the slot lets a reply have at most; it narrows the reserve of
            16,384, or half of a small window.
        window_cap_tokens: a setting that can lower the window, never raise it.
    """
    window = context_window_tokens or UNKNOWN_WINDOW_TOKENS
    if window_cap_tokens is not None:
        window = min(window, window_cap_tokens)
    output = min(DEFAULT_OUTPUT_TOKENS, window // 2)
    if max_output_tokens is not None:
        output = min(output, max_output_tokens)
    return TokenBudget(window_tokens=window, output_tokens=output)
