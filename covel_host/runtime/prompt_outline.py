"""What a prompt was put together from, for the trace: names and tokens, none of its text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from covel_host.runtime.prompt_inputs import PromptParts, Section
from plugin_sdk.rules.tokens import estimate_tokens
from plugin_sdk.values import JsonObject, JsonValue

REST = "rest"
"""What a prompt's text has beside its sections, such as what a hook wrote into it."""


@dataclass(frozen=True, slots=True)
class PromptOutline:
    """The outline of one request, made when somebody wants it."""

    parts: PromptParts

    def to_json(self) -> JsonObject:
        """`{origins, system, turnContext}`.

        `origins` are pairs of where messages come from and how many follow each other, the system
        prompt first; the other two are pairs of a section's name and its estimated tokens.
        """
        messages = self.parts.messages
        origins: list[JsonValue] = [["system", 1]]
        for origin, group in groupby(messages, key=lambda entry: entry.origin):
            origins.append([origin, len(list(group))])
        context = next(
            (entry.message.text for entry in messages if entry.origin == "turn-context"), ""
        )
        return {
            "origins": origins,
            "system": section_tokens(self.parts.system, self.parts.system_sections),
            "turnContext": section_tokens(context, self.parts.context_sections),
        }


def section_tokens(text: str, sections: Sequence[Section]) -> list[JsonValue]:
    """The sections that `text` still has, in its order, with their tokens, and the rest of it."""
    place = 0
    found: list[JsonValue] = []
    between: list[str] = []
    for section in sections:
        begin = text.find(section.text, place) if section.text else -1
        if begin < 0:
            continue
        between.append(text[place:begin])
        found.append([section.name, estimate_tokens(section.text)])
        place = begin + len(section.text)
    rest = _joined((*between, text[place:]))
    return [*found, [REST, estimate_tokens(rest)]] if rest else found


def _joined(texts: Iterable[str]) -> str:
    return " ".join(text.strip() for text in texts if text.strip())
