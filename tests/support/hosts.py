"""A host on a temporary home whose model plays written replies."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from covel_host.host import Host
from covel_host.models.messages import ModelRequest
from covel_host.models.selector import UseOffline
from covel_host.settings import Settings, read_settings
from covel_host.store.messages import list_messages
from covel_host.store.plugin_data import list_data
from covel_host.store.records import (
    MessageRecord,
    SessionRecord,
    ToolCallRecord,
    TraceRecord,
    TurnRecord,
)
from covel_host.store.sessions import require_session
from covel_host.store.store import Store
from covel_host.store.tool_calls import list_tool_calls
from covel_host.store.traces import list_trace
from covel_host.store.turns import get_turn
from covel_host.trace.event_payloads import EVENT_PAYLOADS
from covel_host.trace.events import SessionEvent, TraceEvent
from covel_host.turn.admission import ManualRequest
from covel_host.turn.execution_report import ExecutionReport
from tests.support.replies import PlayedGateway, Reply

_UNFIT: list[str] = []
"""What was told with other members than `trace.event_payloads` lists."""


def _check(name: str, payload: dict[str, Any]) -> None:
    # An observer that raises is told nothing more, and nobody hears of it.
    try:
        EVENT_PAYLOADS[name].model_validate(payload)
    except (KeyError, ValidationError) as error:
        _UNFIT.append(f"{name}: {error}")


@dataclass
class Recorder:
    """An observer that keeps what it is told; a reset shows as `None` among the texts."""

    events: list[SessionEvent] = field(default_factory=list)
    texts: list[str | None] = field(default_factory=list)
    trace: list[TraceEvent] = field(default_factory=list)

    async def on_event(self, event: SessionEvent) -> None:
        _check(event.type, event.payload)
        self.events.append(event)

    async def on_text(self, text: str, *, reset: bool) -> None:
        self.texts.append(None if reset else text)

    def on_trace(self, event: TraceEvent) -> None:
        _check(event.type, event.data)
        self.trace.append(event)

    @property
    def types(self) -> list[str]:
        return [event.type for event in self.events]


@dataclass
class Played:
    """One execution with what it left behind."""

    report: ExecutionReport
    requests: list[ModelRequest]
    observer: Recorder
    rows: "Rows"

    @property
    def kept_result(self) -> Any:
        """The run's result as the turn's row keeps it."""
        assert self.rows.turn is not None
        assert isinstance(self.rows.turn.results, list)
        return self.rows.turn.results[0]

    @property
    def envelopes(self) -> list[str]:
        return [call.envelope for call in self.report.result.tool_calls]


@dataclass
class Rows:
    """What the store holds of a session, and of one of its turns."""

    session: SessionRecord
    messages: list[MessageRecord]
    data: dict[tuple[str, str], Any]
    turn: TurnRecord | None
    tool_calls: list[ToolCallRecord]
    trace: list[TraceRecord]


def settings_of(home: Path, environ: Mapping[str, str] | None = None) -> Settings:
    """Settings under which every package of `home/plugins` is trusted."""
    folder = home / "plugins"
    names = [path.name for path in sorted(folder.iterdir())] if folder.is_dir() else []
    given = {"COVEL_HOME": str(home), "COVEL_PLUGINS_DIR": str(home / "bundled")}
    return read_settings({**given, **(environ or {})}, trust=names)


@asynccontextmanager
async def opened(
    home: Path, *replies: Reply, environ: Mapping[str, str] | None = None
) -> AsyncIterator[Host]:
    """A host with every package of `home/plugins` loaded, its model playing `replies`."""
    settings = settings_of(home, environ)
    host = await Host.open(settings, load=settings.trust.trusted, selector=UseOffline())
    host.ports = replace(host.ports, gateway=PlayedGateway(replies))
    _UNFIT.clear()
    try:
        yield host
    finally:
        await host.close()
    assert not _UNFIT, "\n".join(_UNFIT)


async def played_on(host: Host, request: ManualRequest) -> Played:
    """Run one request on an opened host and read back what it left."""
    gateway, observer = host.ports.gateway, Recorder()
    assert isinstance(gateway, PlayedGateway)
    report = await host.run(request, observer=observer)
    rows = rows_of(host.ports.store, report.session_id, report.turn_id, report.result.plugin_id)
    return Played(report, gateway.requests, observer, rows)


def play(
    home: Path,
    target: str,
    *replies: Reply,
    environ: Mapping[str, str] | None = None,
    **request: Any,
) -> Played:
    """Open a host, run one request on it, close it."""

    async def main() -> Played:
        async with opened(home, *replies, environ=environ) as host:
            return await played_on(host, ManualRequest(target=target, **request))

    return asyncio.run(main())


def rows_of(store: Store, session_id: str, turn_id: str, plugin_id: str) -> Rows:
    """What the store holds now."""
    namespaces = ("notes", "items")
    return store.read_now(
        lambda reading: Rows(
            session=require_session(reading, session_id),
            messages=list_messages(reading, session_id),
            data={
                (namespace, record.key): record.value
                for namespace in namespaces
                for record in list_data(reading, session_id, plugin_id, namespace)
            },
            turn=get_turn(reading, session_id, turn_id),
            tool_calls=list_tool_calls(reading, session_id, turn_id),
            trace=list_trace(reading, session_id, turn_id),
        )
    )
