"""What each part of a prompt costs in tokens, from what the trace keeps of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from covel_host.cli.output import safe_text, table
from covel_host.cli.trace_facts import Prompt
from covel_host.hooks.message_forms import message_from_json
from covel_host.hooks.refusals import ReplacementRefused
from covel_host.models.messages import ToolSpec
from covel_host.models.request_size import message_tokens, overhead_tokens
from plugin_sdk.values import JsonObject, JsonValue

_GROUPED = {
    "history": "history",
    "summary": "summaries",
    "summary-envelope": "summaries, their note",
    "input": "player input",
    "story": "story of this turn",
    "note": "note on the story",
    "transcript": "this run so far",
    "segment": "segments",
    "lore": "lore",
}
_SECTIONED = {"system": "system", "turn-context": "turn context"}


@dataclass(frozen=True, slots=True)
class PartCost:
    """One part of a prompt; `count` is how many messages it is, 0 of a section or a tool."""

    name: str
    tokens: int
    count: int = 0


@dataclass(frozen=True, slots=True)
class PromptCosts:
    """All parts of a prompt with their estimated tokens, and what the provider counted."""

    parts: tuple[PartCost, ...]
    reported: int | None

    @property
    def estimated(self) -> int:
        """The sum of the parts."""
        return sum(part.tokens for part in self.parts)


def prompt_costs(prompt: Prompt) -> PromptCosts:
    """The costs of a prompt; a part that is not kept whole costs what is left of it."""
    usage = prompt.call.data.get("usage")
    reported = usage.get("inputTokens") if isinstance(usage, dict) else None
    return PromptCosts(
        parts=(*_messages(prompt), *_tools(prompt)),
        reported=reported if isinstance(reported, int) and reported else None,
    )


def costs_json(costs: PromptCosts) -> dict[str, object]:
    """`{parts: [{name, tokens, messages?}], estimated, reported, difference}`."""
    return {
        "parts": [
            {"name": part.name, "tokens": part.tokens}
            | ({"messages": part.count} if part.count else {})
            for part in costs.parts
        ],
        "estimated": costs.estimated,
        "reported": costs.reported,
        "difference": None if costs.reported is None else costs.reported - costs.estimated,
    }


def costs_text(costs: PromptCosts) -> str:
    """The parts as a table, their sum, and what the provider counted."""
    rows: list[tuple[str, ...]] = [("PART", "TOKENS")]
    for part in costs.parts:
        many = f" ({part.count} messages)" if part.count > 1 else ""
        rows.append((safe_text(part.name) + many, f"{part.tokens:,}"))
    rows.append(("all, estimated", f"{costs.estimated:,}"))
    if costs.reported is not None:
        difference = costs.reported - costs.estimated
        rows.append(("the provider's count", f"{costs.reported:,} ({difference:+,})"))
    return table(rows)


def _messages(prompt: Prompt) -> Iterator[PartCost]:
    outline = prompt.call.data.get("outline")
    known = outline if isinstance(outline, dict) else {}
    left = iter(prompt.messages)
    for origin, count in _pairs(known.get("origins")):
        tokens = sum(map(_message_cost, islice(left, count)))
        if origin in _SECTIONED:
            yield from _sections(known, origin, tokens)
        else:
            yield PartCost(_GROUPED.get(origin, origin), tokens, count)
    # Without an outline, such as that of a character, the roles are all that is known.
    for message in left:
        role = message.get("role") if isinstance(message, dict) else "message"
        yield PartCost(str(role), _message_cost(message), 1)


def _sections(outline: JsonObject, origin: str, tokens: int) -> Iterator[PartCost]:
    """The sections of one message; what is left is its framing, and roundings."""
    member = "turnContext" if origin == "turn-context" else "system"
    spent = 0
    for name, cost in _pairs(outline.get(member)):
        spent += cost
        yield PartCost(f"{_SECTIONED[origin]}: {name}", cost)
    yield PartCost(f"{_SECTIONED[origin]}: framing, rounding", tokens - spent)


def _tools(prompt: Prompt) -> Iterator[PartCost]:
    for tool in prompt.tools:
        told = tool if isinstance(tool, dict) else {}
        schema = told.get("jsonSchema")
        spec = ToolSpec(
            str(told.get("name", "?")),
            str(told.get("description", "")),
            schema if isinstance(schema, dict) else {},
        )
        yield PartCost(f"tool {spec.name}", overhead_tokens([spec]))


def _message_cost(message: JsonValue) -> int:
    try:
        return message_tokens(message_from_json(message, member="messages"))
    except ReplacementRefused:
        return 0


def _pairs(value: JsonValue) -> Iterator[tuple[str, int]]:
    for pair in value if isinstance(value, list) else []:
        if isinstance(pair, list) and len(pair) == 2:
            name, number = pair
            if isinstance(name, str) and isinstance(number, int):
                yield name, number
