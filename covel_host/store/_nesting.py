"""Which store bodies run in the current async context (spec/transactions.md 1: nesting refused)."""

from contextvars import ContextVar
from dataclasses import dataclass

from covel_host.store.errors import NestedTransactionError


@dataclass(slots=True, eq=False)
class _Body:
    owner: object
    kind: str
    outer: "_Body | None"
    running: bool = True


_INNERMOST: ContextVar[_Body | None] = ContextVar("covel_store_body", default=None)


def refuse_nesting(owner: object, *, wanted: str, store: str, backend: str) -> None:
    """Raise `NestedTransactionError` when a body of `owner` is running in this context.

    The context decides, not the thread: an independent caller that happens to run at the same
    time is not refused, and a task that outlives the body that started it is not refused either.
    """
    body = _INNERMOST.get()
    while body is not None:
        if body.running and body.owner is owner:
            raise NestedTransactionError(
                store=store, backend=backend, wanted=wanted, inside=body.kind
            )
        body = body.outer


class body_of:
    """Marks the current context as being inside a body of `owner` until the block ends."""

    __slots__ = ("_body", "_token")

    def __init__(self, owner: object, *, kind: str) -> None:
        self._body = _Body(owner=owner, kind=kind, outer=_INNERMOST.get())

    def __enter__(self) -> None:
        self._token = _INNERMOST.set(self._body)

    def __exit__(self, *_error: object) -> None:
        self._body.running = False
        _INNERMOST.reset(self._token)
