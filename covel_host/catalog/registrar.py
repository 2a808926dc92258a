"""`covel`, the argument of registration hooks, and the clean-ups it gathers."""

import inspect
from typing import NoReturn

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.package_logger import PackageLogger
from plugin_sdk.capabilities import Dispose, Http
from plugin_sdk.errors import ToolError


class EntryRegistrar:
    """The `Registrar` of one generation: no store, no session (seed: 工具和 guard 能拿到什么)."""

    def __init__(self, plugin_id: str, version: str | None) -> None:
        self.plugin_id = plugin_id
        self.version = version
        self.signal = CancelSignal()
        self.logger = PackageLogger(plugin_id)
        self._disposers: list[Dispose] = []

    @property
    def http(self) -> Http:
        _not_served("covel.http")

    def on_dispose(self, fn: Dispose) -> None:
        """Add a clean-up; they run in reverse order when the generation ends."""
        if not callable(fn):
            raise TypeError(f"on_dispose takes a function, not {fn!r}.")
        self._disposers.append(fn)

    async def dispose(self) -> list[Exception]:
        """Run the clean-ups, last one first; what they raised. A second call does nothing."""
        self.signal.cancel("the generation has ended")
        errors: list[Exception] = []
        while self._disposers:
            try:
                result = self._disposers.pop()()
                if inspect.isawaitable(result):
                    await result
            except Exception as error:
                # One failing clean-up must not keep the others from running.
                errors.append(error)
        return errors


def _not_served(member: str) -> NoReturn:
    raise ToolError("unavailable", f"{member} is not served by this version of the host.")
