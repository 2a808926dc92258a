"""The calls of one connection, one after another in one session."""

import asyncio
import difflib
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from covel_host.base.errors import HostError
from covel_host.base.json_text import JsonValueError, dump_json
from covel_host.host import Host
from covel_host.mcp_bridge.answers import Answer, answer_of, error_answer, refusal_answer
from covel_host.mcp_bridge.served_tools import ServedTool
from covel_host.runtime.run import SingleCall
from covel_host.trace.events import SessionEvent
from covel_host.turn.admission import ManualRequest
from covel_host.turn.execution_report import ExecutionReport
from covel_host.turn.ports import SilentObserver

_LOG = logging.getLogger(__name__)


class BridgeCalls:
    """Makes each call an execution of its own, committed before it is answered.

    Executions of one session follow each other, in the order in which the calls came: so does a
    call that only reads, because it may read what the one before it wrote. Without `session_id` the
    first call makes a session, of all packages served; `on_session` is told of it.
    """

    def __init__(
        self,
        host: Host,
        tools: Sequence[ServedTool],
        *,
        session_id: str | None,
        packages: Sequence[str],
        on_session: Callable[[str], object],
    ) -> None:
        self._host = host
        self._tools: Mapping[str, ServedTool] = {tool.name: tool for tool in tools}
        self._packages = tuple(packages)
        self._session_id = session_id
        self._on_session = on_session
        self._turn = asyncio.Lock()

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        """The answer to one call; a failure is an answer, never an exception.

        Raises:
            asyncio.CancelledError: the caller was cancelled. Nothing of the call is committed,
                unless its commit had begun.
        """
        served = self._tools.get(name)
        if served is None:
            return self._unknown(name)
        try:
            call = SingleCall(served.tool.name, dump_json(dict(arguments)))
        except JsonValueError as error:
            return error_answer("invalid-input", f"The arguments are not JSON: {error}.")
        # In a task of the host, which waits for it at its end: a cancelled request is dropped at
        # once by the protocol's library, and the execution still has to keep its failure.
        task = self._host.ports.tasks.start(
            self._in_turn(served, call), name=f"MCP call of {served.name}"
        )
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            task.cancel()
            raise
        return _answer(task)

    async def _in_turn(self, served: ServedTool, call: SingleCall) -> ExecutionReport:
        async with self._turn:
            request = ManualRequest(
                target=served.plugin_id,
                call=call,
                session_id=self._session_id,
                packages=self._packages,
            )
            watch = _SessionWatch()
            try:
                return await self._host.run(request, observer=watch)
            finally:
                self._remember(watch.session_id)

    def _remember(self, session_id: str | None) -> None:
        if self._session_id is None and session_id is not None:
            self._session_id = session_id
            self._on_session(session_id)

    def _unknown(self, name: str) -> Answer:
        near = difflib.get_close_matches(name, self._tools, n=1)
        hint = f'Did you mean "{near[0]}"?' if near else None
        return error_answer("not-found", f'There is no tool "{name}".', hint=hint)


class _SessionWatch(SilentObserver):
    """Remembers in which session an execution is, also where it is cancelled."""

    def __init__(self) -> None:
        self.session_id: str | None = None

    async def on_event(self, event: SessionEvent) -> None:
        self.session_id = event.session_id


def _answer(task: "asyncio.Task[ExecutionReport]") -> Answer:
    if task.cancelled():
        return error_answer("cancelled", "The server is closing; the call was cancelled.")
    error = task.exception()
    if error is None:
        return answer_of(task.result())
    if isinstance(error, HostError):
        return refusal_answer(error)
    _LOG.error("A call failed inside the host.", exc_info=error)
    return error_answer("internal", "The call failed inside the host; its log says more.")
