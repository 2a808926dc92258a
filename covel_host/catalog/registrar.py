"""`covel`, the argument of registration hooks, and the clean-ups it gathers."""

import asyncio
import inspect
import logging
import threading
from typing import Final

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.daemon_threads import run_in_daemon_thread
from covel_host.base.not_served import not_served
from covel_host.base.package_logger import PackageLogger
from covel_host.catalog.generation_http import GenerationHttp
from covel_host.net.package_http import PackageHttp
from covel_host.net.policy import HttpPolicy
from plugin_sdk.capabilities import Dispose

CLEAN_UP_LIMIT_S: Final = 15.0
"""For all clean-ups of one generation together (spec/manifest.md 9.1)."""

_LOG = logging.getLogger(__name__)


class EntryRegistrar:
    """The `Registrar` of one generation: no store, no session (seed: 工具和 guard 能拿到什么)."""

    def __init__(self, plugin_id: str, version: str | None) -> None:
        self.plugin_id = plugin_id
        self.version = version
        self.signal = CancelSignal()
        self.logger = PackageLogger(plugin_id)
        self._http: GenerationHttp | None = None
        self._lock = threading.Lock()
        self._clean_ups: list[Dispose] | None = []

    @property
    def http(self) -> PackageHttp:
        if self._http is None:
            not_served("covel.http")
        return self._http.http

    def serve_http(self, policy: HttpPolicy) -> None:
        """Let the package's code send requests; to be called on the host's event loop."""
        self._http = GenerationHttp(policy, self.signal)

    def on_dispose(self, fn: Dispose) -> None:
        """Add a clean-up; they run in reverse order when the generation ends.

        A plain function runs in a thread of its own, like the entry itself; what it gives is
        awaited in the event loop.

        Raises:
            TypeError: `fn` is no function.
            RuntimeError: the generation has ended, as after the time limit of loading.
        """
        if not callable(fn):
            raise TypeError(f"on_dispose takes a function, not {fn!r}.")
        with self._lock:
            if self._clean_ups is None:
                raise RuntimeError("This generation of the package has ended.")
            self._clean_ups.append(fn)

    async def dispose(self, reason: str, *, limit_s: float = CLEAN_UP_LIMIT_S) -> None:
        """Cancel the signal and run the clean-ups, last one first; a second call does nothing.

        What raises is logged and stops no other; what takes longer than `limit_s` is left behind.
        """
        self.signal.cancel(reason)
        with self._lock:
            clean_ups, self._clean_ups = self._clean_ups or [], None
        try:
            async with asyncio.timeout(limit_s):
                while clean_ups:
                    await self._run(clean_ups.pop())
        except TimeoutError:
            _LOG.error(
                "Cleaning up %r took over %g s; %d clean-ups were left out.",
                self.plugin_id,
                limit_s,
                len(clean_ups),
            )
        if self._http is not None:
            await self._http.close()

    async def _run(self, clean_up: Dispose) -> None:
        try:
            # A plain function may block; the event loop goes on meanwhile.
            result = await run_in_daemon_thread(clean_up, name=f"covel clean-up {self.plugin_id}")
            if inspect.isawaitable(result):
                await result
        except BaseException as error:
            task = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
                raise
            _LOG.error("A clean-up of %r failed.", self.plugin_id, exc_info=error)
