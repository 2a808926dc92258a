"""Asking the extensions of a session for one agent's prompt (spec/manifest.md 10.6).

Whatever an extension does, the run goes on: one that fails is left out, with an event in the trace
and one line in the log.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from covel_host.base.json_text import dump_json
from covel_host.runtime.extension_context import ExtensionCallContext
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.run_record import RunRecord
from covel_host.runtime.service_access import RunServices
from covel_host.services.extension_calls import ExtensionFailed, answered
from covel_host.services.extension_directory import OfferedExtension
from covel_host.services.extension_points import SERVED_POINTS
from plugin_sdk.wire import WireModel

Settled = TypeVar("Settled")

HOST_CALLER = "__kernel"
"""Who calls extensions, in the trace: no package."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EndedExtension(Generic[Settled]):
    """One extension that was asked: what came of its answer, or why nothing did.

    `value` is None where it answered nothing, and where it failed.
    """

    offered: OfferedExtension
    duration_ms: int
    value: Settled | None = None
    failure: ExtensionFailed | None = None


class RunExtensions:
    """What one run asks extensions with; models that these ask count as the run's."""

    def __init__(
        self, run: RuntimeRun, ports: RunPorts, record: RunRecord, services: RunServices
    ) -> None:
        self._run = run
        self._ports = ports
        self._record = record
        self._services = services

    def of(self, point: str) -> list[OfferedExtension]:
        """Those to ask now, in their order."""
        return self._run.extensions.of(point)

    async def collect(
        self,
        point: str,
        query: Callable[[], WireModel],
        settle: Callable[[OfferedExtension, Any], Settled],
    ) -> list[Settled]:
        """What all extensions of `point` answer, asked at once, in their order.

        `settle` makes what is used of an answer, and may refuse it with `ExtensionFailed`.

        Raises:
            asyncio.CancelledError: the run was cancelled, and with it the extensions.
        """
        offered = self.of(point)
        if not offered:
            return []
        text = dump_json(query().members())
        async with asyncio.TaskGroup() as group:
            calls = [group.create_task(self._ended(one, text, settle)) for one in offered]
        # In order, whichever ended first: traces of repeated runs are alike.
        ended = [call.result() for call in calls]
        for one in ended:
            self._report(one)
        return [one.value for one in ended if one.value is not None]

    async def ask(
        self,
        offered: OfferedExtension,
        query: WireModel,
        settle: Callable[[OfferedExtension, Any], Settled],
    ) -> EndedExtension[Settled]:
        """What one extension answers; otherwise as `collect`."""
        ended = await self._ended(offered, dump_json(query.members()), settle)
        self._report(ended)
        return ended

    async def _ended(
        self,
        offered: OfferedExtension,
        text: str,
        settle: Callable[[OfferedExtension, Any], Settled],
    ) -> EndedExtension[Settled]:
        clock, point = self._ports.clock, SERVED_POINTS[offered.extension.point]
        started = clock.monotonic()
        context = ExtensionCallContext(offered, self._run, self._ports, self._services)
        value: Settled | None = None
        failure: ExtensionFailed | None = None
        try:
            answer = await answered(point, offered, context, text, tasks=self._ports.tasks)
            value = None if answer is None else settle(offered, answer)
        except ExtensionFailed as failed:
            failure = failed
        finally:
            context.end()
            self._record.use = self._record.use.merged(context.asked_models.use)
        duration_ms = round((clock.monotonic() - started) * 1000)
        return EndedExtension(offered, duration_ms, value, failure)

    def _report(self, ended: EndedExtension[Any]) -> None:
        key, failure = ended.offered.key, ended.failure
        facts: dict[str, object] = {
            "callId": f"extension-{key.point}-{key.plugin_id}-{key.extension_id}",
            "callerPluginId": HOST_CALLER,
            "providerPluginId": key.plugin_id,
            "name": key.extension_id,
            "contract": key.point,
            "durationMs": ended.duration_ms,
            "outcome": "completed" if failure is None else "failed",
            "extension": f"{key.point}/{key.extension_id}",
        }
        if failure is not None:
            facts |= {"errorCode": failure.code, "error": failure.message}
            if self._run.extensions.leave_out(ended.offered):
                _LOG.warning(
                    "The extension %r of %s in the package %r is left out of %r: %s",
                    key.extension_id,
                    key.point,
                    key.plugin_id,
                    self._run.turn_id,
                    failure.message,
                )
        self._ports.trace.add("plugin.service.completed", **facts)
