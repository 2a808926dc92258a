"""The test call of `covel models`: does a slot answer, and how soon (spec/models.md 4.6)."""

from dataclasses import dataclass

from covel_host.base.clock import Clock, SystemClock
from covel_host.models.errors import ModelError
from covel_host.models.gateway import ModelGateway
from covel_host.models.limits import CallLimits
from covel_host.models.messages import Delta, ModelReply, ModelRequest, UserMessage
from covel_host.models.retry import RetryPolicy

_REQUEST = ModelRequest(
    messages=(UserMessage("Answer with the single word: ready"),), max_output_tokens=64
)
_TIME_MS = 30_000


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """How the test call went.

    Attributes:
        reply, error: exactly one of them is set.
        first_output_ms: time to the first piece of output, `None` without one.
        total_ms: time to the end of the reply or to the error.
    """

    reply: ModelReply | None
    error: ModelError | None
    first_output_ms: int | None
    total_ms: int


async def probe_slot(
    gateway: ModelGateway, slot: str | None, *, clock: Clock | None = None
) -> ProbeResult:
    """One streamed request to `slot`, sent once, given up after 30 s; never raises `ModelError`."""
    clock = clock or SystemClock()
    started_at = clock.monotonic()
    first_at: float | None = None

    async def note_first(_: Delta) -> None:
        nonlocal first_at
        if first_at is None:
            first_at = clock.monotonic()

    reply: ModelReply | None = None
    failure: ModelError | None = None
    try:
        reply = await gateway.complete(
            _REQUEST,
            slot=slot,
            limits=CallLimits(budget_ms=_TIME_MS, max_requests=1),
            retry=RetryPolicy(max_retries=0),
            on_delta=note_first,
            allow_fallback=False,
        )
    except ModelError as error:
        failure = error
    return ProbeResult(
        reply=reply,
        error=failure,
        first_output_ms=None if first_at is None else round((first_at - started_at) * 1000),
        total_ms=round((clock.monotonic() - started_at) * 1000),
    )
