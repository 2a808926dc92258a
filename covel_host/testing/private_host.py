"""A host in a temporary home, for code that does not run in an event loop."""

import asyncio
import tempfile
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from covel_host.base.errors import HostError
from covel_host.catalog.catalog import Catalog, PackageState
from covel_host.catalog.excerpt_texts import texts_of
from covel_host.catalog.generation import Generation
from covel_host.diagnostics.formats import format_full
from covel_host.host import Host
from covel_host.models.selector import ModelSelector, UseSource
from covel_host.testing.played_model import PlayedModel
from covel_host.testing.private_settings import Plan
from covel_host.testing.tracebacks import is_told
from covel_host.trace.events import SessionEvent, TraceEvent
from plugin_sdk.testing.clocks import ManualClock
from plugin_sdk.testing.failures import NotLoaded, Refused
from plugin_sdk.testing.results import TakenEvent

__tracebackhide__ = is_told

Value = TypeVar("Value")


class EventTaker:
    """An observer that keeps what the session's clients are told."""

    def __init__(self) -> None:
        self.events: list[TakenEvent] = []

    async def on_event(self, event: SessionEvent) -> None:
        self.events.append(TakenEvent(event.type, event.payload))

    async def on_text(self, text: str, *, reset: bool) -> None:
        return None

    def on_trace(self, event: TraceEvent) -> None:
        return None


class PrivateHost:
    """The host of one test; `close` removes its home.

    Raises `NotLoaded` when a package that it is to run cannot be loaded, with every problem.
    """

    def __init__(self, plan: Plan, *, is_live: bool = False) -> None:
        """With `is_live` the configured model slots answer, in place of `model`."""
        self.clock = ManualClock()
        self.model = PlayedModel()
        self.taker = EventTaker()
        self._home = tempfile.TemporaryDirectory(prefix="covel-test-", ignore_cleanup_errors=True)
        self._runner = asyncio.Runner()
        try:
            self._settings, self.packages = plan(Path(self._home.name))
            self.host = self.wait(self._open(None if is_live else UseSource(self.model)))
        except BaseException:
            self._runner.close()
            self._home.cleanup()
            raise

    @property
    def plugin_id(self) -> str:
        """The package under test: the first one of `packages`."""
        return self.packages[0]

    @property
    def generation(self) -> Generation:
        """What is loaded of the package under test."""
        found = self.host.catalog.packages[self.plugin_id].generation
        assert found is not None
        return found

    @property
    def runtime_ids(self) -> list[str]:
        """The IDs of the package's runtimes."""
        return [found.runtime_id for found in self.generation.reading.runtimes]

    def runtime_id(self, written: str) -> str:
        """The whole ID of a runtime of the package that may be written without the package's."""
        is_whole = "/" in written or written in self.runtime_ids
        return written if is_whole else f"{self.plugin_id}/{written}"

    def wait(self, work: Coroutine[Any, Any, Value]) -> Value:
        """What `work` gives.

        Raises:
            Refused: the host refused it, with code and hint.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            work.close()
            raise RuntimeError("The fixture 'covel' is for plain tests: 'def', not 'async def'.")
        try:
            return self._runner.run(work)
        except HostError as error:
            details = getattr(error, "issues", ())
            raise Refused(
                error.message, code=error.code, hint=error.hint, details=details
            ) from None

    def close(self) -> None:
        """Close the host and remove its home; may be called again."""
        try:
            self.wait(self.host.close())
        finally:
            self._runner.close()
            self._home.cleanup()

    async def _open(self, selector: ModelSelector | None) -> Host:
        host = await Host.open(
            self._settings, load=self.packages, selector=selector, clock=self.clock
        )
        problems = _load_problems(host.catalog, self.packages)
        if problems:
            await host.close()
            raise NotLoaded("\n".join(problems), code="package-not-loaded")
        return host


def _load_problems(catalog: Catalog, wanted: Sequence[str]) -> list[str]:
    problems = []
    for plugin_id in wanted:
        state = catalog.packages.get(plugin_id)
        if state is None:
            known = ", ".join(catalog.packages) or "none"
            problems.append(f"There is no package {plugin_id!r}; known are: {known}.")
        elif state.generation is None:
            problems.append(_problems_of(state))
    return problems


def _problems_of(state: PackageState) -> str:
    blocking = [found for found in state.diagnostics if found.blocks_loading]
    shown = format_full(blocking or state.diagnostics, sources=texts_of(state.reading))
    return f"The package {state.plugin_id!r} was not loaded.\n{shown}"
