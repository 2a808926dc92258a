"""The seam between those who ask a model and what answers: the gateway, or a recording of one."""

from collections.abc import Sequence
from typing import Protocol

from covel_host.models.call import WaitingSink
from covel_host.models.embeddings import EmbeddedTexts
from covel_host.models.limits import CallBudget, CallLimits
from covel_host.models.messages import DeltaSink, ModelReply, ModelRequest
from covel_host.models.retry import RetryPolicy
from covel_host.models.slots import Slot


class Gateway(Protocol):
    """What runs ask of models; see `ModelGateway` for every member."""

    @property
    def offline_note(self) -> str | None: ...

    def slot_for(self, name: str | None) -> Slot | None: ...

    def check_slot(self, name: str) -> None: ...

    def embedding_slot(self, name: str | None = None) -> Slot | None: ...

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
    ) -> ModelReply: ...

    async def embed(
        self,
        texts: Sequence[str],
        *,
        slot: str | None = None,
        identity: str | None = None,
        limits: CallLimits | None = None,
    ) -> EmbeddedTexts: ...
