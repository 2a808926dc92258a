"""Which slots are asked after one has failed, and when (spec/models.md 4.1)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from covel_host.base.clock import Clock
from covel_host.models.errors import ModelError, TriedSlot
from covel_host.models.messages import ModelReply, ModelRequest
from covel_host.models.request_size import request_tokens
from covel_host.models.slots import Slot

_PASSING_KINDS = frozenset({"unreachable", "timeout", "overloaded", "server", "rate_limited"})


def fallback_chain(slots: Mapping[str, Slot], first: Slot) -> tuple[Slot, ...]:
    """`first` and the slots that its `fallback` leads to, each once, in their order.

    A chain that comes back to a slot ends there; slots that ask the same model at the same address
    count as one.
    """
    chain: dict[tuple[str, str, str], Slot] = {}
    names: set[str] = set()
    slot: Slot | None = first
    while slot is not None and slot.name not in names:
        names.add(slot.name)
        target = (slot.protocol.value, slot.base_url.value, slot.model.value)
        chain.setdefault(target, slot)
        slot = None if slot.fallback is None else slots.get(slot.fallback.value)
    return tuple(chain.values())


def may_fall_back(error: ModelError) -> bool:
    """Whether another model may be asked after this error.

    Not after output, a refusal, a used-up budget or a request that is wrong for every model. A rate
    limit is the one client error after which another model may be asked.
    """
    facts = error.facts
    if facts.output_started or error.code not in (
        "provider-error",
        "reply-broken",
        "model-timeout",
    ):
        return False
    if facts.status is not None and 400 <= facts.status < 500:
        return facts.status == 429
    return facts.kind in _PASSING_KINDS


async def first_reply(
    chain: Sequence[Slot],
    request: ModelRequest,
    ask: Callable[[Slot], Awaitable[ModelReply]],
    *,
    clock: Clock,
) -> ModelReply:
    """The reply of the first slot of `chain` that gives one; `tried` names the ones before.

    Raises:
        ModelError: of the last slot that was asked, with those before it in `facts.tried`.
    """
    slot, *others = chain
    earlier: list[TriedSlot] = []
    while True:
        started_at = clock.monotonic()
        try:
            return replace(await ask(slot), tried=tuple(earlier))
        except ModelError as error:
            failure = error
        failure.facts = replace(failure.facts, tried=tuple(earlier))
        if not may_fall_back(failure):
            raise failure
        record = tried(
            slot,
            code=failure.code,
            reason=failure.message,
            error=failure,
            duration_ms=round((clock.monotonic() - started_at) * 1000),
        )
        following = _next(others, request)
        if following is None:
            raise failure
        slot, skipped = following
        earlier += [record, *skipped]


def _next(others: list[Slot], request: ModelRequest) -> tuple[Slot, list[TriedSlot]] | None:
    skipped: list[TriedSlot] = []
    while others:
        slot = others.pop(0)
        reason = passed_over(slot, request)
        if reason is None:
            return slot, skipped
        skipped.append(reason)
    return None


def passed_over(slot: Slot, request: ModelRequest) -> TriedSlot | None:
    """Why a fallback is not asked: it cannot answer now, or the request does not fit its window."""
    problem = slot.problem(task="text")
    if problem is not None:
        return tried(slot, code=problem.code, reason=problem.message)
    if slot.context_window is None:
        return None
    window = slot.context_window.value
    needed = request_tokens(request) + (slot.output_limit(request.max_output_tokens) or 0)
    if needed <= window:
        return None
    return tried(
        slot,
        code="window-too-small",
        reason=f"The request needs about {needed} tokens and the window has {window}.",
    )


def tried(
    slot: Slot, *, code: str, reason: str, error: ModelError | None = None, duration_ms: int = 0
) -> TriedSlot:
    """The record of a slot that gave no reply."""
    return TriedSlot(
        slot=slot.name,
        provider=slot.provider.value,
        model=slot.model.value,
        code=code,
        reason=reason,
        status=None if error is None else error.status,
        http_requests=0 if error is None else error.facts.http_requests,
        duration_ms=duration_ms,
    )
