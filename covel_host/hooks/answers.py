"""What a hook returned, as an answer."""

import inspect
from collections.abc import Mapping

from covel_host.hooks.failures import ill_formed, limited_text
from plugin_sdk.hooks import HookResult, proceed

_NOTHING = proceed()
_WRITE = "A hook returns None, proceed(…) or abort(…)"


def checked_answer(returned: object) -> HookResult:
    """The answer that `returned` is; None means to go on.

    Raises:
        HookFailure: it is none.
    """
    if returned is None:
        return _NOTHING
    if inspect.iscoroutine(returned):
        # Left alone it would warn, much later, that nobody awaited it.
        returned.close()
        raise ill_formed(
            "The hook is a plain function and returned a coroutine, which nobody awaits. "
            "Write 'async def', or return what the coroutine gives."
        )
    if not isinstance(returned, HookResult):
        raise ill_formed(f"The hook returned a value of type {_type(returned)}. {_WRITE}.")
    if returned.action == "abort":
        return _checked_abort(returned)
    if returned.action != "continue":
        raise ill_formed(f"The answer's action is {returned.action!r}. {_WRITE}.")
    return _checked_replacement(returned)


def _checked_abort(answer: HookResult) -> HookResult:
    reason = answer.reason
    if not isinstance(reason, str) or not reason.strip():
        raise ill_formed(
            f"The reason of abort(…) is {reason!r}. Write a sentence that says why, "
            "for the model or the player."
        )
    return HookResult(action="abort", reason=limited_text(reason))


def _checked_replacement(answer: HookResult) -> HookResult:
    replace: object = answer.replace
    if not isinstance(replace, Mapping) or not all(isinstance(name, str) for name in replace):
        raise ill_formed(
            f"'replace' of proceed(…) is of type {_type(replace)}. It is a mapping from the names "
            "of payload members to their new values."
        )
    return answer


def _type(value: object) -> str:
    return repr(type(value).__name__)
