"""The log of the host beside concealed runs: that something failed, and nothing it says."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_IN_CONCEALED_RUN: ContextVar[bool] = ContextVar("covel_in_concealed_run", default=False)


@contextmanager
def in_run(*, is_concealed: bool) -> Iterator[None]:
    """Inside, and in every task begun there, failures are those of a run of that kind."""
    token = _IN_CONCEALED_RUN.set(is_concealed)
    try:
        yield
    finally:
        _IN_CONCEALED_RUN.reset(token)


def log_failure(
    log: logging.Logger, message: str, *facts: object, cause: BaseException | None
) -> None:
    """Log an error with its stack trace; of a concealed run only the type of the error.

    `message` and `facts` may quote what package code or a model wrote.
    """
    if not _IN_CONCEALED_RUN.get():
        log.error(message, *facts, exc_info=cause)
        return
    what = "a wrong answer" if cause is None else type(cause).__name__
    log.error("A step of a concealed runtime failed: %s.", what)
