"""How a hook call fails: its exception, its time, or an answer that is none."""

from typing import Literal, TypeAlias

from covel_host.base.daemon_threads import ThreadExitError
from covel_host.base.unicode_text import storable_text
from covel_host.hooks.hook import Hook

FailureKind: TypeAlias = Literal["raised", "match-raised", "timeout", "answer", "closing"]

MAX_MESSAGE_CHARACTERS = 2_000
"""What a trace keeps of an exception's text, and the most a reason to abort may have."""


class HookFailure(Exception):
    """A hook call failed.

    `error_type` is the type of the exception, or the class of the failure where none was raised;
    `message` is the exception's own text or a sentence. Both are for authors, never for players.
    """

    def __init__(
        self,
        kind: FailureKind,
        error_type: str,
        message: str,
        *,
        cause: BaseException | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.error_type = error_type
        self.message = limited_text(message)
        self.cause = cause


def raised(error: BaseException, *, in_match: bool = False) -> HookFailure:
    """The failure that an exception of the hook's own code is."""
    kind: FailureKind = "match-raised" if in_match else "raised"
    # In a thread an exit request has become an error of its own.
    name = "SystemExit" if isinstance(error, ThreadExitError) else type(error).__name__
    return HookFailure(kind, name, _text_of(error), cause=error)


def ill_formed(message: str) -> HookFailure:
    """The failure that an answer of the wrong form is."""
    return HookFailure("answer", "InvalidAnswer", message)


def abort_reason(hook: Hook, failure: HookFailure) -> str:
    """Why a guard event is stopped when a hook failed: model and player may read it.

    It does not hold the exception's text, which may tell secrets; the trace does.
    """
    whose = f"The hook {hook.function_name!r} of the package {hook.plugin_id!r}"
    happened: dict[FailureKind, str] = {
        "raised": "failed",
        "match-raised": "failed while it looked at the event",
        "timeout": "did not answer in time",
        "answer": "gave an answer that cannot be used",
        "closing": "was stopped because the host is closing",
    }
    return f"{whose} {happened[failure.kind]}."


def limited_text(text: str) -> str:
    """`text` as it can be stored, cut to the limit."""
    kept = storable_text(text)
    return kept if len(kept) <= MAX_MESSAGE_CHARACTERS else f"{kept[: MAX_MESSAGE_CHARACTERS - 1]}…"


def _text_of(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"sys.exit({error.code!r}) was called"
    try:
        text = str(error)
    except BaseException as broken:
        return f"(its text cannot be shown: {type(broken).__name__})"
    return text or type(error).__name__
