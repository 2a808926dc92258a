"""Running a service's own code: its input read, its function called, its output copied."""

import inspect

from covel_host.base.answer_sizes import size_problem
from covel_host.base.author_calls import AuthorRaised, is_authors_own, told_apart
from covel_host.base.daemon_threads import run_in_daemon_thread
from covel_host.base.error_texts import error_text
from covel_host.services.caller import OpenService
from covel_host.services.directory import OfferedService
from covel_host.services.failures import failure_of, invalid_result
from plugin_sdk.values import JsonValue


async def played(offered: OfferedService, opened: OpenService, text: str) -> JsonValue:
    """What the service gives for the input that `text` holds; meant for a task of its own.

    A plain function runs in a daemon thread. What it began and did not wait for is waited for.

    Raises:
        ServiceFailed: the input was refused, the code raised, or the output does not fit.
        asyncio.CancelledError: the task was cancelled.
    """
    try:
        result = await told_apart(
            lambda: _result(offered, opened, text), is_thread=not offered.service.is_async
        )
    except AuthorRaised as raised:
        raise failure_of(raised.error, offered) from raised.error
    try:
        answer = offered.service.to_json(result)
    except BaseException as error:  # the result may run code of the package when it is written
        if not is_authors_own(error):
            raise
        raise invalid_result(error_text(error), offered) from error
    problem = size_problem(answer)
    if problem is not None:
        raise invalid_result(problem, offered)
    return answer


async def _result(offered: OfferedService, opened: OpenService, text: str) -> object:
    service = offered.service
    value = service.parse(text)
    if service.is_async:
        returned = service.invoke(opened.context, value)
    else:
        returned = await run_in_daemon_thread(
            lambda: service.invoke(opened.context, value),
            name=f"covel service {service.name} of {offered.plugin_id}",
        )
    result = await returned if inspect.isawaitable(returned) else returned
    await opened.uses_ended()
    return result
