"""One call of one extension's own code: within its limit, and without harm to the host."""

import asyncio
from typing import Any

from covel_host.base.answer_sizes import size_problem
from covel_host.base.author_calls import (
    AuthorCall,
    AuthorLate,
    AuthorRaised,
    is_authors_own,
    is_cancelled,
)
from covel_host.base.error_texts import error_text, tool_error_of, unexpected_cause
from covel_host.base.tasks import TaskTracker
from covel_host.services.extension_directory import OfferedExtension
from covel_host.services.extension_points import ExtensionPoint, answer_adapter
from plugin_sdk.context import ExtensionContext


class ExtensionFailed(Exception):
    """An extension gave nothing that can be used; `code` is one of the tool error codes."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


async def answered(
    point: ExtensionPoint,
    offered: OfferedExtension,
    context: ExtensionContext,
    query: str,
    *,
    tasks: TaskTracker,
) -> Any:
    """What the extension answers to the JSON text `query`, as the point's model; None for nothing.

    It gets a value of its own made from the text, so that it can change nothing of the host's. What
    does not end in time is cancelled where it can be and left to `tasks`; what it gives then is
    dropped.

    Raises:
        ExtensionFailed: it refused the query, raised, was late, or its answer does not fit.
        asyncio.CancelledError: the caller was cancelled.
    """
    extension = offered.extension
    try:
        value = extension.parse(query)
    except BaseException as error:
        if not is_authors_own(error):
            raise
        raise ExtensionFailed("invalid-input", error_text(error)) from error
    call = AuthorCall(
        lambda: extension.invoke(context, value),
        name=f"extension {extension.point}/{extension.id} of {offered.plugin_id}",
        is_async=extension.is_async,
        tasks=tasks,
    )
    try:
        result = await call.returned(limit_s=point.limit_ms / 1000)
    except AuthorLate:
        message = f"The extension did not answer in {point.limit_ms} ms."
        raise ExtensionFailed("timeout", message) from None
    except AuthorRaised as raised:
        raise _raised(raised.error) from raised.error
    except asyncio.CancelledError:
        if is_cancelled():
            raise
        raise ExtensionFailed("cancelled", "The host is closing.") from None
    return None if result is None else _checked(point, offered, result)


def _checked(point: ExtensionPoint, offered: OfferedExtension, result: object) -> Any:
    try:
        answer = offered.extension.to_json(result)
    except BaseException as error:  # the result may run code of the package when it is written
        if not is_authors_own(error):
            raise
        raise ExtensionFailed("internal", f"Its answer: {error_text(error)}") from error
    problem = size_problem(answer)
    if problem is not None:
        raise ExtensionFailed("internal", f"Its answer is too large: {problem}.")
    if answer is None:
        return None
    from pydantic import ValidationError

    try:
        return answer_adapter(point).validate_python(answer)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        message = f"Its answer is no answer of {point.name}: {where}: {first['msg']}."
        raise ExtensionFailed("internal", message) from error


def _raised(error: BaseException) -> ExtensionFailed:
    told = tool_error_of(error)
    if told is not None:
        return ExtensionFailed(told.code, told.message)
    return ExtensionFailed("internal", unexpected_cause(error_text(error)))
