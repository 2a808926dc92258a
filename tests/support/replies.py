"""A model that plays what a test tells it to and keeps what it was asked."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from covel_host.models.call import WaitingSink
from covel_host.models.errors import ErrorFacts, ModelError
from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.limits import CallBudget, CallLimits
from covel_host.models.messages import (
    DeltaSink,
    FinishReason,
    ModelCall,
    ModelReply,
    ModelRequest,
    TextDelta,
    Usage,
)
from covel_host.models.port import text_pieces
from covel_host.models.retry import RetryPolicy
from covel_host.models.selector import UseOffline
from covel_host.models.slots import SlotTable

Play: TypeAlias = Callable[[ModelRequest, DeltaSink], Awaitable[ModelReply]]
Reply: TypeAlias = ModelReply | ModelError | Play


def call(name: str, arguments: Any = None, *, call_id: str = "") -> ModelCall:
    """A call; `arguments` that are no text are sent as their JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return ModelCall(call_id, name, text)


def say(text: str = "", *calls: ModelCall, finish: FinishReason = "stop") -> ModelReply:
    return ModelReply(
        text, calls, finish_reason=finish, usage=Usage(10, 5), provider="played", model="played"
    )


def calls(*wanted: ModelCall) -> ModelReply:
    return say("", *wanted)


def done() -> ModelReply:
    return calls(call("runtime-done"))


def broken(*, retriable: bool = True, output_started: bool = False) -> ModelError:
    return ModelError(
        "The provider is on fire.",
        code="provider-error",
        facts=ErrorFacts(kind="server", retriable=retriable, output_started=output_started),
    )


class PlayedGateway(ModelGateway):
    """Plays `replies` in order and streams their text; `requests` holds what was asked."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        super().__init__(GatewayOptions(), SlotTable({}, ""), selector=UseOffline())
        self._replies = list(replies)
        self.requests: list[ModelRequest] = []
        self.asked_slots: list[str | None] = []

    async def complete(
        self,
        request: ModelRequest,
        *,
        slot: str | None = None,
        limits: CallLimits | None = None,
        retry: RetryPolicy | None = None,
        on_delta: DeltaSink | None = None,
        budget: CallBudget | None = None,
        allow_fallback: bool = True,
        on_waiting: WaitingSink | None = None,
    ) -> ModelReply:
        self.requests.append(request)
        self.asked_slots.append(slot)
        assert self._replies, f"the model was asked once more: {request.messages[-1]}"
        reply = self._replies.pop(0)
        if isinstance(reply, ModelError):
            raise reply
        if not isinstance(reply, ModelReply):
            assert on_delta is not None
            return await reply(request, on_delta)
        for piece in text_pieces(reply.text) if on_delta is not None and request.stream else ():
            await on_delta(TextDelta(piece))
        number = len(self.requests)
        numbered = [
            replace(call, call_id=call.call_id or f"call-{number}-{position}")
            for position, call in enumerate(reply.calls, start=1)
        ]
        return replace(reply, calls=tuple(numbered))
