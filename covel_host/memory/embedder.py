"""The model that makes vectors for memory: one slot, asked with short limits, left alone when ill.

(spec/memory.md 5, spec/models.md 9)
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Final

from covel_host.base.clock import Clock
from covel_host.memory.vectors import Unit, unit
from covel_host.models.embeddings import embedding_identity
from covel_host.models.errors import ModelError
from covel_host.models.gateway_port import Gateway
from covel_host.models.limits import CallLimits

QUERY_LIMIT_MS: Final = 5_000
"""How long a search waits for the vector of its query before it goes by words."""

_BATCH_LIMIT_MS = 60_000
_PAUSE_S = 60.0
"""How long the model is not asked again after it failed."""

_REJECTING = frozenset({400, 413, 422})

_LOG = logging.getLogger(__name__)


class Embedder:
    """Asks the gateway for vectors of one model; `identity` says which."""

    def __init__(self, gateway: Gateway, identity: str, *, clock: Clock) -> None:
        self.identity = identity
        self._gateway = gateway
        self._clock = clock
        self._paused_until = 0.0
        self.is_proven = False

    @property
    def is_paused(self) -> bool:
        """Whether the model failed a moment ago."""
        return self._clock.monotonic() < self._paused_until

    async def query(self, text: str) -> Unit | None:
        """The vector of a query; None when the model gives none in time, which is logged."""
        try:
            [vector] = await self.vectors([text], limits=CallLimits(budget_ms=QUERY_LIMIT_MS))
        except ModelError as error:
            self.pause(error)
            return None
        self.is_proven = True
        return vector

    async def batch(self, texts: Sequence[str]) -> list[Unit | None]:
        """One vector for each text, None for a text that the model rejects by itself.

        A rejected batch is halved until the offending text stands alone.

        Raises:
            ModelError: the model failed otherwise: nothing is known of any text.
        """
        try:
            return await self.vectors(texts, limits=CallLimits(budget_ms=_BATCH_LIMIT_MS))
        except ModelError as error:
            if not _is_rejection(error):
                raise
        if len(texts) == 1:
            return [None]
        half = len(texts) // 2
        return [*await self.batch(texts[:half]), *await self.batch(texts[half:])]

    async def vectors(self, texts: Sequence[str], *, limits: CallLimits) -> list[Unit | None]:
        """One vector of length 1 for each text, None where it has no direction."""
        reply = await self._gateway.embed(texts, identity=self.identity, limits=limits)
        return [unit(vector) for vector in reply.vectors]

    def pause(self, error: ModelError) -> None:
        """Leave the model alone for a while; searches go by words meanwhile."""
        self._paused_until = self._clock.monotonic() + _PAUSE_S
        _LOG.warning("Memory is searched by words for %g s: %s", _PAUSE_S, error.message)


def embedder_of(gateway: Gateway, environ: Mapping[str, str], *, clock: Clock) -> Embedder | None:
    """The embedder of the configured slot; None without one that works, or switched off.

    `VECTOR_BACKEND=none` switches vectors off (spec/models.md 9).
    """
    if environ.get("VECTOR_BACKEND", "").strip().lower() == "none":
        return None
    slot = gateway.embedding_slot()
    if slot is None:
        return None
    if problem := slot.problem(task="embedding"):
        _LOG.warning("Memory is searched by words: %s", problem.message)
        return None
    return Embedder(gateway, embedding_identity(slot), clock=clock)


def _is_rejection(error: ModelError) -> bool:
    """Whether the model refused what it was sent, rather than being unable to answer."""
    return error.error_kind == "bad_request" and error.status in _REJECTING
