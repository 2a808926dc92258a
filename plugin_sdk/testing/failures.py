"""What the `covel` fixture raises, to be named in `pytest.raises`."""

from collections.abc import Sequence
from typing import Any


class HostFailure(AssertionError):
    """The host says no; `code` is stable, `message` a sentence, `hint` what to do.

    `details` are the fields that are wrong, each with `path` and `message`, where there are such.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        hint: str | None = None,
        details: Sequence[Any] = (),
    ) -> None:
        first, *rest = message.split("\n")
        lines = [f"{first} ({code})", *rest]
        lines += [f"  {one}" for one in details]
        super().__init__("\n".join([*lines, *([f"  {hint}"] if hint else [])]))
        self.code = code
        self.message = message
        self.hint = hint
        self.details = tuple(details)


class NotLoaded(HostFailure):
    """The package under test, or a companion, does not load; the message has every problem."""


class Refused(HostFailure):
    """A request was not begun: a wrong name, an answer that is not accepted, a paused session."""


class RunFailed(HostFailure):
    """A run, turn, action or job failed and nothing of it was committed.

    `result` is what `run` or `turn` would have given, None for an action.
    """

    def __init__(
        self, message: str, *, code: str, hint: str | None = None, result: Any = None
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.result = result


class WrongReplies(AssertionError):
    """A model was asked more often than there were replies, or less often."""
