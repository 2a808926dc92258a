"""A turn shown as it happens: prose on standard output, stages and runtimes beside it."""

from collections.abc import Mapping
from typing import TextIO

from covel_host.cli.run_terminal import RunTerminal
from covel_host.trace.events import SessionEvent, TraceEvent


class TurnTerminal(RunTerminal):
    """Watches the executions of a turn; tool calls are shown only with `is_verbose`.

    `stages` are those of the session's runtimes, None for followers of events. `turn_ids` are those
    of the executions that have begun.
    """

    def __init__(
        self,
        output: TextIO,
        *,
        stages: Mapping[str, str | None],
        is_quiet: bool,
        is_verbose: bool,
    ) -> None:
        super().__init__(output, is_quiet=is_quiet)
        self._stages = stages
        self._is_verbose = is_verbose
        self._stage: str | None = None
        self.turn_ids: list[str] = []

    async def on_event(self, event: SessionEvent) -> None:
        """Show where the turn is, and how each runtime ended."""
        await super().on_event(event)
        payload = event.payload
        if event.type == "execution.started":
            self._stage = None
            self.turn_ids.append(event.turn_id)
        elif event.type == "runtime.started":
            self._enter(str(payload["runtimeId"]))
            self.say(f"> {payload['runtimeId']}")
        elif event.type in ("runtime.completed", "runtime.failed", "runtime.skipped"):
            self._enter(str(payload["runtimeId"]))
            self.say(_end_line(event))

    def on_trace(self, event: TraceEvent) -> None:
        """Show tool calls, if they were asked for."""
        if self._is_verbose:
            super().on_trace(event)

    def _enter(self, runtime_id: str) -> None:
        stage = self._stages.get(runtime_id)
        if stage is not None and stage != self._stage:
            self._stage = stage
            self.say(f"[{stage}]")


def _end_line(event: SessionEvent) -> str:
    payload = event.payload
    runtime_id, status = payload["runtimeId"], payload["status"]
    if event.type == "runtime.skipped":
        reason = payload.get("reason")
        return f"- {runtime_id}: skipped" + (f", {reason}" if reason else "")
    line = f"< {runtime_id}: {status}, {payload['durationMs']} ms"
    error = payload.get("error")
    return f"{line}: {error['message']}" if isinstance(error, dict) else line
