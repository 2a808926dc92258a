"""The exact prompts of a turn's model calls, each part of them kept once (docs/tracing.md).

A prompt repeats nearly everything the one before it had. So an event names parts by what they hold:
a part is one message or one tool, or a list of such names cut where the names themselves say, so
that a list which grows or loses its beginning keeps the names of its other pieces.
"""

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from covel_host.base.json_text import JsonValueError, dump_json, parse_json
from covel_host.trace.redaction import redact
from plugin_sdk.values import JsonObject, JsonValue

PROMPT_MEMBERS: Final = frozenset({"messages", "tools", "outline"})
"""Members of `llm.calling` that stand for its prompt: what they say is shown with the prompt."""

MISSING_PART: Final = "[not kept]"
"""What stands for a part that the store does not have."""

_ID_BYTES: Final = 12
_ENDS_PIECE: Final = frozenset("ABCD")
"""First letters of the names that end a piece of a list: one in sixteen."""

_MAX_PIECE: Final = 64

_MAX_CACHED: Final = 8_000
"""Longer texts are not remembered from turn to turn."""

Describe = Callable[[object], JsonValue]
"""A message or tool as JSON, as the trace may show it."""


class SentPrompt:
    """What one model call was given; `messages` and `tools` are never changed.

    `describe` is asked when the event is read first; one function per run, so that what its calls
    have in common is described once. `hidden` are texts that the trace shows nowhere in it.
    `outline` says what the prompt was put together from; it is asked then, too.
    """

    __slots__ = ("describe", "hidden", "messages", "outline", "tools")

    def __init__(
        self,
        messages: Sequence[object],
        tools: Sequence[object],
        *,
        describe: Describe,
        hidden: tuple[str, ...] = (),
        outline: Callable[[], JsonObject] | None = None,
    ) -> None:
        self.outline = outline
        self.messages = messages
        self.tools = tools
        self.describe = describe
        self.hidden = hidden


class PromptBook:
    """The parts of the prompts of one turn, by name."""

    def __init__(self, secrets: tuple[str, ...]) -> None:
        self._secrets = secrets
        # The objects are kept with their names: an ID may be given again.
        self._named: dict[tuple[int, int], tuple[object, Describe, str]] = {}
        self._texts: dict[str, str] = {}

    def entered(self, prompt: SentPrompt) -> tuple[JsonObject, dict[str, str]]:
        """The members that the call's event has for its prompt, and the parts that are new."""
        known = len(self._texts)
        members: JsonObject = {
            "messageCount": len(prompt.messages),
            "messages": self._list(prompt.messages, prompt),
            "toolCount": len(prompt.tools),
            "tools": self._list(prompt.tools, prompt),
        }
        if prompt.outline is not None:
            members["outline"] = prompt.outline()
        return members, dict(list(self._texts.items())[known:])

    def _list(self, items: Sequence[object], prompt: SentPrompt) -> list[JsonValue]:
        names = [self._part(item, prompt) for item in items]
        return [self._kept(dump_json(piece)) for piece in _pieces(names)]

    def _part(self, item: object, prompt: SentPrompt) -> str:
        key = (id(item), id(prompt.describe))
        known = self._named.get(key)
        if known is None:
            secrets = (*self._secrets, *prompt.hidden)
            name, text = _redacted_part(prompt.describe(item), secrets)
            self._texts.setdefault(name, text)
            known = self._named[key] = (item, prompt.describe, name)
        return known[2]

    def _kept(self, text: str) -> str:
        name = _name(text)
        self._texts.setdefault(name, text)
        return name


def prompt_names(data: Mapping[str, JsonValue]) -> list[str]:
    """The names of the lists that an event's `messages` and `tools` are made of."""
    return [*_names(data.get("messages")), *_names(data.get("tools"))]


def part_names(text: str) -> list[str]:
    """The names that a list part holds."""
    return _names(parse_json(text))


def joined(names: JsonValue, texts: Mapping[str, str]) -> list[JsonValue]:
    """The messages or tools that an event names, from the texts of all parts involved."""
    found: list[JsonValue] = []
    for name in _names(names):
        if name not in texts:
            found.append(MISSING_PART)
            continue
        found += [
            parse_json(texts[part]) if part in texts else MISSING_PART
            for part in part_names(texts[name])
        ]
    return found


def _redacted_part(described: JsonValue, secrets: tuple[str, ...]) -> tuple[str, str]:
    """The name and the text of a part."""
    try:
        text = dump_json(described)
    except JsonValueError:
        # Such as a lone surrogate, which only redacting takes out.
        text = ""
    if text and len(text) <= _MAX_CACHED:
        return _known_part(text, secrets)
    redacted = dump_json(redact(described, secrets=secrets))
    return _name(redacted), redacted


@lru_cache(maxsize=2_048)
def _known_part(text: str, secrets: tuple[str, ...]) -> tuple[str, str]:
    # The history of a session comes again with every call of every turn.
    redacted = dump_json(redact(parse_json(text), secrets=secrets))
    return _name(redacted), redacted


def _name(text: str) -> str:
    digest = hashlib.blake2b(text.encode(), digest_size=_ID_BYTES).digest()
    return base64.urlsafe_b64encode(digest).decode()


def _names(value: JsonValue) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _pieces(names: Sequence[str]) -> Iterator[list[str]]:
    piece: list[str] = []
    for name in names:
        piece.append(name)
        if name[0] in _ENDS_PIECE or len(piece) == _MAX_PIECE:
            yield piece
            piece = []
    if piece:
        yield piece
