"""The model of a test: plays the replies that it was given, and keeps what it was asked."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from covel_host.models.errors import ModelError
from covel_host.models.messages import (
    AssistantMessage,
    Message,
    ModelReply,
    ModelRequest,
    SystemMessage,
    UserMessage,
)
from covel_host.models.offline import OfflineModel
from covel_host.models.port import ModelSource, PieceSink
from covel_host.models.script_file import ScriptedReply, parse_replies
from covel_host.models.scripted import ScriptedModel
from covel_host.testing.tracebacks import is_told
from plugin_sdk.testing.failures import WrongReplies
from plugin_sdk.testing.fixture import Replies
from plugin_sdk.testing.results import Prompt

__tracebackhide__ = is_told


class _Source(Protocol):
    """Where a played model gets its next answer from; `left` are the replies nobody asked for."""

    @property
    def left(self) -> int: ...

    async def complete(self, request: ModelRequest, *, on_piece: PieceSink) -> ModelReply: ...


class _Written:
    """Replies in their order."""

    def __init__(self, replies: Sequence[ScriptedReply]) -> None:
        self._script = ScriptedModel(replies, name="replies")
        self._count = len(replies)

    @property
    def left(self) -> int:
        return self._count - self._script.used

    async def complete(self, request: ModelRequest, *, on_piece: PieceSink) -> ModelReply:
        return await self._script.complete(request, on_piece=on_piece)


class _Steady:
    """One source for as many requests as there are."""

    left = 0

    def __init__(self, source: ModelSource) -> None:
        self._source = source

    async def complete(self, request: ModelRequest, *, on_piece: PieceSink) -> ModelReply:
        return await self._source.complete(request, on_piece=on_piece)


class PlayedModel:
    """A `ModelSource` that is told before each request what it is to answer.

    `prompts` are all requests so far.
    """

    def __init__(self) -> None:
        self.prompts: list[Prompt] = []
        self._source: _Source = _Written(())
        self._given = 0
        self._asked = 0
        self._is_counted = True

    def give(self, replies: Replies) -> None:
        """Answer the next requests with `replies`, in place of any given before.

        Raises:
            WrongReplies: one of them has no form that a reply may have.
        """
        self._asked = 0
        self._is_counted = replies is not None
        if replies is None:
            self._source = _Steady(OfflineModel())
            return
        written = parsed_replies(replies)
        self._given = len(written)
        self._source = _Written(written)

    def answer_with(self, source: ModelSource) -> None:
        """Let `source` answer all requests from now on."""
        self._is_counted = False
        self._source = _Steady(source)

    def check(self) -> None:
        """Whether each reply was asked for, and none was missing.

        Raises:
            WrongReplies: it is not so.
        """
        if not self._is_counted:
            return
        if self._asked > self._given:
            raise WrongReplies(
                f"A model was asked {_times(self._asked)}, and the test gives "
                f"{_replies(self._given)}. Its last prompt ends: {self._tail()!r}"
            )
        if self._source.left:
            raise WrongReplies(
                f"A model was asked {_times(self._asked)}, and the test gives "
                f"{_replies(self._given)}: {self._source.left} too many."
            )

    async def complete(self, request: ModelRequest, *, on_piece: PieceSink) -> ModelReply:
        """The next answer.

        Raises:
            ModelError: the reply is one, or there is none left.
        """
        self.prompts.append(_prompt(request))
        self._asked += 1
        return await self._source.complete(request, on_piece=on_piece)

    async def aclose(self) -> None:
        """Nothing is held."""

    def _tail(self) -> str:
        messages = self.prompts[-1].messages
        return messages[-1][1][-200:] if messages else ""


def parsed_replies(replies: Sequence[str | Mapping[str, Any]]) -> tuple[ScriptedReply, ...]:
    """Replies as a test writes them, a text for one without calls.

    Raises:
        WrongReplies: one of them has no form that a reply may have.
    """
    if isinstance(replies, (str, Mapping)):
        raise WrongReplies(f"replies={replies!r} is one reply; expected a list of them.")
    written = [{"text": one} if isinstance(one, str) else one for one in replies]
    try:
        return parse_replies(written, locate=lambda place: "replies")
    except ModelError as error:
        raise WrongReplies(f"{error.message} {error.hint or ''}".strip()) from None


def _prompt(request: ModelRequest) -> Prompt:
    return Prompt(
        tuple((_role(message), message.text) for message in request.messages),
        {tool.name: tool.input_schema for tool in request.tools},
    )


def _role(message: Message) -> str:
    if isinstance(message, SystemMessage):
        return "system"
    if isinstance(message, UserMessage):
        return "user"
    return "assistant" if isinstance(message, AssistantMessage) else "tool"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _replies(count: int) -> str:
    return {0: "no reply", 1: "1 reply"}.get(count, f"{count} replies")
