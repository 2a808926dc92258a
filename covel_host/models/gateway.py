"""One call to a model, carried through queueing, retries and time limits (spec/models.md 4).

The gateway does not know any provider: it picks what answers (a slot, the script, the offline
model), keeps the limits, and reports one reply or one error.
"""

import asyncio
import random
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from covel_host.base.clock import Clock, SystemClock
from covel_host.models.call import LogicalCall, Sleep, WaitingSink
from covel_host.models.embeddings import (
    EmbeddedTexts,
    EmbeddingRequest,
    OfflineEmbeddings,
    embedding_identity,
)
from covel_host.models.errors import config_error
from covel_host.models.fallback import fallback_chain, first_reply
from covel_host.models.limits import CallBudget, CallLimits
from covel_host.models.messages import DeltaSink, ModelReply, ModelRequest
from covel_host.models.offline import OfflineModel
from covel_host.models.port import Answering, ModelSource
from covel_host.models.pricing import estimated_cost
from covel_host.models.retry import RetryPolicy
from covel_host.models.selector import (
    ModelSelector,
    UseOffline,
    UseScript,
    UseSlot,
    UseSource,
)
from covel_host.models.slots import Slot, SlotTable

DEFAULT_MAX_CONCURRENT = 16


@dataclass(frozen=True, slots=True)
class GatewayOptions:
    """Settings of the gateway.

    Attributes:
        max_concurrent: requests at once in this process, 0 for no limit.
        retries: resend failed requests where the rules allow it.
    """

    max_concurrent: int = DEFAULT_MAX_CONCURRENT
    retries: bool = True

    @staticmethod
    def from_environment(environment: Mapping[str, str]) -> "GatewayOptions":
        """Options from `COVEL_LLM_MAX_CONCURRENT` and `COVEL_LLM_RETRY_DISABLED`.

        Raises:
            ModelError: `config-error` for a value that is neither a count nor a switch.
        """
        count = environment.get("COVEL_LLM_MAX_CONCURRENT") or str(DEFAULT_MAX_CONCURRENT)
        if not (count.isascii() and count.isdigit()):
            raise config_error(
                f"COVEL_LLM_MAX_CONCURRENT is {count!r}; a whole number from 0 is expected, "
                "0 for no limit."
            )
        switch = environment.get("COVEL_LLM_RETRY_DISABLED") or "0"
        if switch not in ("0", "1"):
            raise config_error(f"COVEL_LLM_RETRY_DISABLED is {switch!r}; 1 or 0 is expected.")
        return GatewayOptions(max_concurrent=int(count), retries=switch == "0")


class ModelGateway:
    """Answers model calls; made for one event loop and closed with `aclose`.

    Raises `ModelError` when the selector names a slot that cannot answer or a script that cannot
    be read.

    Args:
        slots: the configured slots; without a text slot the offline model answers.
        selector: what answers every call in place of the slots (`--model`).
        clock, sleep: time; `sleep` waits for seconds.
        randomness: for the spread of waits.

    Calls may run at once, as many as `options.max_concurrent` requests.
    """

    def __init__(
        self,
        options: GatewayOptions,
        slots: SlotTable,
        *,
        selector: ModelSelector | None = None,
        clock: Clock | None = None,
        sleep: Sleep = asyncio.sleep,
        randomness: random.Random | None = None,
    ) -> None:
        self._slots = slots
        self._selector = selector
        self._clock = clock or SystemClock()
        self._sleep = sleep
        self._randomness = randomness or random.Random()
        self._retry = RetryPolicy() if options.retries else RetryPolicy(max_retries=0)
        self._gate = asyncio.Semaphore(options.max_concurrent) if options.max_concurrent else None
        self._sources: dict[str, ModelSource] = {}
        self._embeddings: dict[str, Answering[EmbeddingRequest, EmbeddedTexts]] = {}
        # What a person asked for by name fails here, before anything runs.
        if isinstance(selector, UseSlot) and (
            problem := slots.exact(selector.name).problem(task="text")
        ):
            raise problem
        if isinstance(selector, UseScript):
            self._source(None)

    @property
    def offline_note(self) -> str | None:
        """What to tell a person when the offline model answers text calls; else `None`."""
        if isinstance(self._selector, UseOffline):
            return "The offline model answers: it fills in tool calls and writes placeholder text."
        if self._selector is None and self._slots.for_text(None) is None:
            return (
                "No model is configured, so the offline model answers: it fills in tool calls and "
                "writes placeholder text. `covel models` shows how to configure one."
            )
        return None

    def slot_for(self, name: str | None) -> Slot | None:
        """The slot that a call for `name` goes to, `None` when no slot answers it.

        Raises:
            ModelError: the slot is not configured, or gives no text.
        """
        if isinstance(self._selector, (UseOffline, UseScript, UseSource)):
            return None
        if isinstance(self._selector, UseSlot):
            return self._slots.exact(self._selector.name)
        return self._slots.for_text(name)

    def check_slot(self, name: str) -> None:
        """Refuse a slot that code names and nobody configured.

        A role of a manifest may fall to another slot; a name that code gives may not. Without any
        slot, or with another model chosen for every call, there is nothing to choose.

        Raises:
            ModelError: `config-error`, naming the slots there are.
        """
        if self._selector is None and self._slots.slots:
            self._slots.exact(name)

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
        """The model's complete reply; text and reasoning go to `on_delta` as they stream in.

        After a passing failure the slot's `fallback` is asked, and so on along the chain, within
        the same limits; a slot that `--model` names answers alone.

        Args:
            slot: the slot the task asks for; see `SlotTable.for_text`.
            limits: time and request limits, `CallLimits()` when not given.
            retry: resending for this call in place of the gateway's own.
            on_delta: awaited for each piece, in order; nothing is called after this returns.
            budget: time and requests shared with the caller's earlier attempts at the same call.
            allow_fallback: whether the slot's `fallback` may be asked.
            on_waiting: told while the call waits for its turn; that time counts against no limit.

        Raises:
            ModelError: no complete reply; what was streamed before is no reply.
            asyncio.CancelledError: passed through at once, nothing is sent again.
        """
        budget = budget or CallBudget()
        chosen = self.slot_for(slot)

        async def ask(target: Slot | None) -> ModelReply:
            call = LogicalCall(
                source=self._source(target),
                slot=target,
                request=request,
                limits=limits or CallLimits(),
                retry=retry or self._retry,
                on_delta=on_delta,
                gate=self._gate,
                clock=self._clock,
                sleep=self._sleep,
                randomness=self._randomness,
                budget=budget,
                on_waiting=on_waiting,
            )
            return _priced(await call.run(), target)

        if chosen is None or not allow_fallback or self._selector is not None:
            return await ask(chosen)
        return await first_reply(
            fallback_chain(self._slots.slots, chosen), request, ask, clock=self._clock
        )

    def embedding_slot(self, name: str | None = None) -> Slot | None:
        """The slot that turns texts into vectors, `None` where none is configured or wanted.

        A slot that `--model` names answers texts; vectors still come from their own slot.

        Raises:
            ModelError: the named slot gives no vectors.
        """
        if isinstance(self._selector, (UseOffline, UseScript)):
            return None
        return self._slots.for_embedding(name)

    async def embed(
        self,
        texts: Sequence[str],
        *,
        slot: str | None = None,
        identity: str | None = None,
        limits: CallLimits | None = None,
    ) -> EmbeddedTexts:
        """One vector for each text, in order; one request, resent as the rules allow.

        Where no model is configured at all, or the offline or a scripted model answers every call,
        the vectors are made of the words of the texts (`OfflineEmbeddings`).

        Args:
            slot: the slot the task asks for; see `SlotTable.for_embedding`.
            identity: the `embedding_identity` that the vectors must have.

        Raises:
            ModelError: `config-error` before anything is sent when no slot gives vectors or its
                model is another one than `identity` says; else as `complete`.
        """
        chosen = self.embedding_slot(slot)
        if identity is not None and (chosen is None or embedding_identity(chosen) != identity):
            found = "none" if chosen is None else repr(embedding_identity(chosen))
            raise config_error(
                f"Vectors of the model {identity!r} are asked for, and the configured one is "
                f"{found}.",
                slot=slot,
            )
        source = self._embedding_source(chosen)
        if not texts:
            return EmbeddedTexts(vectors=(), slot=None if chosen is None else chosen.name)
        call = LogicalCall(
            source=source,
            slot=chosen,
            request=EmbeddingRequest(tuple(texts)),
            limits=limits or CallLimits(),
            retry=self._retry,
            on_delta=None,
            gate=self._gate,
            clock=self._clock,
            sleep=self._sleep,
            randomness=self._randomness,
        )
        return await call.run()

    async def aclose(self) -> None:
        """Close every connection; calls under way fail."""
        async with AsyncExitStack() as stack:
            for source in self._sources.values():
                stack.push_async_callback(source.aclose)
            for vectors in self._embeddings.values():
                stack.push_async_callback(vectors.aclose)
            self._sources, self._embeddings = {}, {}

    def _embedding_source(self, slot: Slot | None) -> Answering[EmbeddingRequest, EmbeddedTexts]:
        if slot is None:
            if self._selector is None and self._slots.slots:
                raise config_error(
                    "No model slot gives vectors.",
                    hint='Add a slot with tag = "embedding" to llm.toml.',
                )
            return OfflineEmbeddings()
        source = self._embeddings.get(slot.name)
        if source is None:
            if problem := slot.problem(task="embedding"):
                raise problem
            from covel_host.models.embedding_adapter import ProviderEmbeddings

            source = self._embeddings[slot.name] = ProviderEmbeddings(slot)
        return source

    def _source(self, slot: Slot | None) -> ModelSource:
        name = "" if slot is None else slot.name
        source = self._sources.get(name)
        if source is None:
            source = self._sources[name] = self._open(slot)
        return source

    def _open(self, slot: Slot | None) -> ModelSource:
        if slot is None and isinstance(self._selector, UseScript):
            from covel_host.models.script_file import read_script
            from covel_host.models.scripted import ScriptedModel

            path = self._selector.path
            return ScriptedModel(read_script(path), name=str(path), sleep=self._sleep)
        if slot is None and isinstance(self._selector, UseSource):
            return self._selector.source
        if slot is None:
            return OfflineModel()
        problem = slot.problem(task="text")
        if problem is not None:
            raise problem
        # The provider library costs about a second to import.
        from covel_host.models.pydantic_ai_adapter import ProviderModel

        return ProviderModel(slot)


def _priced(reply: ModelReply, slot: Slot | None) -> ModelReply:
    if slot is None or slot.pricing is None:
        return reply
    return replace(reply, cost=estimated_cost(reply.usage, slot.pricing.value))
