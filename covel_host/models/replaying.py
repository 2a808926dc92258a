"""Models that answer from a recording; nothing is ever sent."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from covel_host.models.call import WaitingSink
from covel_host.models.embeddings import EmbeddedTexts
from covel_host.models.errors import ErrorFacts, ModelError
from covel_host.models.limits import CallBudget, CallLimits
from covel_host.models.messages import DeltaSink, ModelReply, ModelRequest
from covel_host.models.recorded_json import (
    deltas_of,
    embedded_of,
    error_of,
    reply_of,
    request_json,
    slot_of,
)
from covel_host.models.recording import slot_question
from covel_host.models.retry import RetryPolicy
from covel_host.models.slots import Slot
from plugin_sdk.values import JsonObject, JsonValue


class RecordedCalls(Protocol):
    """The calls of one run, each to be taken once."""

    def take(self, request: JsonValue) -> Any:
        """The recorded call that `request` stands for; None when there is none left."""
        ...

    def cut_off(self) -> None:
        """A call is played that was cut off: it has no reply, and waits to be cut off again."""
        ...


class ReplayingGateway:
    """Answers with the replies of `calls`; `slots` is what the configuration said then.

    `embedding` finds the vectors of texts, None for texts that were not asked about.
    """

    def __init__(
        self,
        calls: RecordedCalls,
        *,
        embedding: Callable[[Sequence[str], str | None], Any],
        slots: JsonObject,
    ) -> None:
        self._calls = calls
        self._embedding = embedding
        self._slots = slots

    @property
    def offline_note(self) -> str | None:
        return None

    def slot_for(self, name: str | None) -> Slot | None:
        return self._said(slot_question("text", name), name)

    def check_slot(self, name: str) -> None:
        self._said(slot_question("check", name), name)

    def embedding_slot(self, name: str | None = None) -> Slot | None:
        return self._said(slot_question("embedding", name), name)

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
        """The recorded reply, streamed in the pieces in which it came.

        Raises:
            ModelError: the recorded one; `not-recorded` when the model was asked less often then.
        """
        call = self._calls.take(request_json(request, slot))
        if call is None:
            raise _not_recorded("The model was not asked this often when the turn was recorded.")
        for delta in deltas_of(call["deltas"]):
            if on_delta is not None:
                await on_delta(delta)
        if "error" in call:
            raise error_of(call["error"])
        if "reply" not in call:
            self._calls.cut_off()
            if on_waiting is not None:
                # Whoever counts the time of the run looks at its clock anew.
                on_waiting(True)
                on_waiting(False)
            await asyncio.get_running_loop().create_future()
        return reply_of(call["reply"])

    async def embed(
        self,
        texts: Sequence[str],
        *,
        slot: str | None = None,
        identity: str | None = None,
        limits: CallLimits | None = None,
    ) -> EmbeddedTexts:
        """The recorded vectors of those texts, whoever asked for them.

        Raises:
            ModelError: the recorded one; `not-recorded` when nobody asked for them then.
        """
        call = self._embedding(texts, slot)
        if call is None or not ("reply" in call or "error" in call):
            raise _not_recorded("Vectors of these texts were not made when the turn was recorded.")
        if "error" in call:
            raise error_of(call["error"])
        return embedded_of(call["reply"])

    def _said(self, question: str, name: str | None) -> Slot | None:
        told: Any = self._slots.get(question)
        if told is None:
            raise _not_recorded(f"Nothing is recorded of the model slot {name!r}.")
        if "error" in told:
            raise error_of(told["error"])
        return None if told["slot"] is None else slot_of(told["slot"])


def _not_recorded(message: str) -> ModelError:
    return ModelError(message, code="not-recorded", facts=ErrorFacts(kind="config"))
