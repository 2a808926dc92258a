"""What one run asks of models, written down while it asks; nothing else about it changes."""

from collections.abc import Callable, Sequence
from typing import Any

from covel_host.models.call import WaitingSink
from covel_host.models.embeddings import EmbeddedTexts
from covel_host.models.errors import ModelError
from covel_host.models.gateway_port import Gateway
from covel_host.models.limits import CallBudget, CallLimits
from covel_host.models.messages import Delta, DeltaSink, ModelReply, ModelRequest
from covel_host.models.recorded_json import (
    deltas_json,
    embedded_json,
    error_json,
    reply_json,
    request_json,
    slot_json,
)
from covel_host.models.retry import RetryPolicy
from covel_host.models.slots import Slot
from plugin_sdk.values import JsonObject, JsonValue


class RecordingGateway:
    """Passes everything on to `gateway` and keeps what it gave.

    `calls` gets one object per call, in the order of asking: `request`, `deltas`, and `reply` or
    `error`; neither where the call was cut off. `embeddings` likewise, by `texts`. `slots` gets
    what the configuration said, by question; it is shared by the runs of an execution.
    """

    def __init__(
        self,
        gateway: Gateway,
        *,
        calls: list[JsonObject],
        embeddings: list[JsonObject],
        slots: JsonObject,
    ) -> None:
        self._gateway = gateway
        self._calls = calls
        self._embeddings = embeddings
        self._slots = slots

    @property
    def offline_note(self) -> str | None:
        return self._gateway.offline_note

    def slot_for(self, name: str | None) -> Slot | None:
        question = slot_question("text", name)
        slot: Slot | None = self._said(question, lambda: self._gateway.slot_for(name))
        return slot

    def check_slot(self, name: str) -> None:
        self._said(slot_question("check", name), lambda: self._gateway.check_slot(name))

    def embedding_slot(self, name: str | None = None) -> Slot | None:
        question = slot_question("embedding", name)
        slot: Slot | None = self._said(question, lambda: self._gateway.embedding_slot(name))
        return slot

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
        deltas: list[Delta] = []
        call: JsonObject = {"request": request_json(request, slot), "deltas": []}
        self._calls.append(call)

        async def kept(delta: Delta) -> None:
            deltas.append(delta)
            if on_delta is not None:
                await on_delta(delta)

        try:
            reply = await self._gateway.complete(
                request,
                slot=slot,
                limits=limits,
                retry=retry,
                on_delta=kept,
                budget=budget,
                allow_fallback=allow_fallback,
                on_waiting=on_waiting,
            )
        except ModelError as error:
            call["error"] = error_json(error)
            raise
        finally:
            call["deltas"] = deltas_json(deltas)
        call["reply"] = reply_json(reply)
        return reply

    async def embed(
        self,
        texts: Sequence[str],
        *,
        slot: str | None = None,
        identity: str | None = None,
        limits: CallLimits | None = None,
    ) -> EmbeddedTexts:
        call: JsonObject = {"texts": [*texts], "slot": slot}
        self._embeddings.append(call)
        try:
            reply = await self._gateway.embed(texts, slot=slot, identity=identity, limits=limits)
        except ModelError as error:
            call["error"] = error_json(error)
            raise
        call["reply"] = embedded_json(reply)
        return reply

    def _said(self, question: str, ask: Callable[[], Any]) -> Any:
        try:
            slot = ask()
        except ModelError as error:
            self._slots[question] = {"error": error_json(error)}
            raise
        told: JsonValue = None if slot is None else slot_json(slot)
        self._slots[question] = {"slot": told}
        return slot


def slot_question(kind: str, name: str | None) -> str:
    """What a question about the configuration is kept under."""
    return kind if name is None else f"{kind} {name}"
