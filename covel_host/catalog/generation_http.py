"""`covel.http`: requests of a package's code outside of any run."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import SystemClock
from covel_host.net.client import HttpClient
from covel_host.net.package_http import PackageHttp
from covel_host.net.policy import HttpPolicy
from plugin_sdk.errors import ToolError


class GenerationHttp:
    """The client of one generation, made on the host's event loop; it ends with `signal`."""

    def __init__(self, policy: HttpPolicy, signal: CancelSignal) -> None:
        self._signal = signal
        self._loop = asyncio.get_running_loop()
        self._client = HttpClient()
        self.http = PackageHttp(self._client, policy, use=self._used, clock=SystemClock())

    async def close(self) -> None:
        """Close its connections."""
        await self._client.close()

    async def _used(self, begin: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Do the work on the host's loop: a plain entry may wait for it on one of its own."""
        if self._signal.cancelled:
            raise ToolError("unavailable", "This generation of the package has ended.")
        if asyncio.get_running_loop() is self._loop:
            return await begin()
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(begin(), self._loop))
