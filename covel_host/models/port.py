"""The seam between the gateway and what answers: a provider, a script, or the offline model."""

import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

from covel_host.models.messages import Delta, ModelReply, ModelRequest


@dataclass(frozen=True, slots=True)
class CallProgress:
    """A call or a fragment of its arguments has arrived.

    It moves the time limits of a stream and nothing else: calls are delivered complete, with the
    reply (spec/models.md 4.3, 4.7).
    """


StreamPiece: TypeAlias = Delta | CallProgress
PieceSink: TypeAlias = Callable[[StreamPiece], Awaitable[None]]


class Asked(Protocol):
    """A request of any kind, as the limits of a call see it."""

    @property
    def stream(self) -> bool:
        """Whether the answer arrives in pieces."""
        ...


Request_contra = TypeVar("Request_contra", contravariant=True, bound=Asked)
Reply_co = TypeVar("Reply_co", covariant=True)


class Answering(Protocol[Request_contra, Reply_co]):
    """Sends one request of some kind and reads its answer: no retry, no limit of its own."""

    async def complete(self, request: Request_contra, *, on_piece: PieceSink) -> Reply_co:
        """The answer; with `request.stream` every piece goes to `on_piece` as it arrives.

        Raises:
            ModelError: there is no complete answer.
        """
        ...

    async def aclose(self) -> None:
        """Let connections go."""
        ...


ModelSource: TypeAlias = Answering[ModelRequest, ModelReply]
"""What answers text calls."""


def text_pieces(text: str) -> Iterator[str]:
    """`text` in word-sized pieces that join to it again, for sources that have it all at once."""
    return (match.group() for match in re.finditer(r"\s*\S+|\s+", text))
