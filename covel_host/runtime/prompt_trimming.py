"""Making a request fit its budget (spec/execution.md 5.3).

In this order, and no more of it than needed: ordinary history goes, oldest first; over-long tool
results of this run are shortened, oldest first; summaries are left out for this call, oldest
first. Everything else is protected, and a call never stands without its results.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from covel_host.base.errors import HostError
from covel_host.base.json_text import dump_json
from covel_host.models.messages import AssistantMessage, ToolMessage
from covel_host.models.request_size import MESSAGE_OVERHEAD_TOKENS, message_tokens
from covel_host.runtime.prompt_budget import TokenBudget
from covel_host.runtime.prompt_inputs import MessageOrigin, PromptMessage, PromptParts
from plugin_sdk.rules.tokens import estimate_tokens

READ_BACK_LIMIT = 2_000
"""Characters of a tool result from which it may be shortened."""
READ_BACK_KEPT = 1_200
"""Characters that a shortened tool result keeps of its start."""

_CUT_NOTE = " … [shortened to fit the context window; ask again for less at a time]"


class PromptTooLarge(HostError):
    """What may not be trimmed does not fit; both figures are estimated tokens."""

    def __init__(self, *, needed_tokens: int, input_tokens: int) -> None:
        super().__init__(
            f"The prompt needs about {needed_tokens} tokens without any history, and the model's "
            f"window leaves {input_tokens} for the input.",
            code="prompt-too-large",
            hint="Use a model with a larger window, or shorten the body, the lore, the own data "
            "and the tool list of the runtime.",
        )
        self.needed_tokens = needed_tokens
        self.input_tokens = input_tokens


@dataclass(frozen=True, slots=True)
class FittedPrompt:
    """A request that fits and what it cost to make it fit, for the event `context.pruned`."""

    parts: PromptParts
    tokens: int
    dropped_history: int = 0
    shortened_results: int = 0
    dropped_summaries: int = 0

    @property
    def was_pruned(self) -> bool:
        return bool(self.dropped_history or self.shortened_results or self.dropped_summaries)


def fit_prompt(
    parts: PromptParts, budget: TokenBudget, *, overhead_tokens: int = 0
) -> FittedPrompt:
    """`parts` trimmed until they fit the input side of `budget`.

    Args:
        overhead_tokens: what goes beside the messages, see `prompt_budget.overhead_tokens`.

    Raises:
        PromptTooLarge: the protected content alone does not fit.
    """
    draft = _Draft(parts, overhead_tokens, limit=budget.input_tokens)
    dropped_history = draft.drop(_units(parts.messages, "history"))
    shortened_results = draft.shorten_results()
    dropped_summaries = draft.drop(_units(parts.messages, "summary"))
    if draft.tokens > draft.limit:
        raise PromptTooLarge(needed_tokens=draft.tokens, input_tokens=draft.limit)
    return FittedPrompt(
        draft.parts(), draft.tokens, dropped_history, shortened_results, dropped_summaries
    )


class _Draft:
    """The messages still in, by place, with the running sum of their cost."""

    def __init__(self, parts: PromptParts, overhead_tokens: int, *, limit: int) -> None:
        self.limit = limit
        self._parts = parts
        self._kept: dict[int, PromptMessage] = dict(enumerate(parts.messages))
        self._costs = {place: message_tokens(entry.message) for place, entry in self._kept.items()}
        system_tokens = MESSAGE_OVERHEAD_TOKENS + estimate_tokens(parts.system)
        self.tokens = overhead_tokens + system_tokens + sum(self._costs.values())

    def drop(self, units: Iterable[Sequence[int]]) -> int:
        """Drop whole units, in order, until the rest fits; how many messages went."""
        dropped = 0
        for unit in units:
            if self.tokens <= self.limit:
                break
            for place in unit:
                del self._kept[place]
                self.tokens -= self._costs[place]
            dropped += len(unit)
        return dropped

    def shorten_results(self) -> int:
        """Shorten long results of this run, oldest first, until the rest fits; how many."""
        shortened = 0
        for place, entry in self._kept.items():
            if self.tokens <= self.limit:
                break
            message = entry.message
            if entry.origin != "transcript" or not isinstance(message, ToolMessage):
                continue
            if len(message.text) > READ_BACK_LIMIT:
                shortened += self._replace(place, replace(message, text=_shortened(message.text)))
        return shortened

    def parts(self) -> PromptParts:
        return replace(self._parts, messages=tuple(self._kept.values()))

    def _replace(self, place: int, message: ToolMessage) -> bool:
        saved = self._costs[place] - message_tokens(message)
        # A start full of quotes grows when it is written as a JSON text.
        if saved <= 0:
            return False
        self.tokens -= saved
        self._costs[place] -= saved
        self._kept[place] = replace(self._kept[place], message=message)
        return True


def _units(messages: Sequence[PromptMessage], origin: MessageOrigin) -> list[list[int]]:
    """The places of `origin`, oldest first, each call together with its results."""
    units: list[list[int]] = []
    caller: dict[str, list[int]] = {}
    for place, entry in enumerate(messages):
        if entry.origin != origin:
            continue
        message = entry.message
        if isinstance(message, ToolMessage) and message.call_id in caller:
            caller[message.call_id].append(place)
            continue
        units.append([place])
        if isinstance(message, AssistantMessage):
            caller.update({call.call_id: units[-1] for call in message.calls})
    return units


def _shortened(text: str) -> str:
    """The start of a result as a result of its own: what a model reads is always a JSON object."""
    return dump_json({"summary": text[:READ_BACK_KEPT] + _CUT_NOTE})
