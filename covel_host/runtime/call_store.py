"""`ctx.store`: the session and the package's own data, for as long as the call or run lives."""

from covel_host.proposals.overlay import PluginDataView
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.package_data import read_record, read_records
from covel_host.runtime.session_reads import SessionReads
from plugin_sdk.records import DataItem, MessagePage, PlayerInput, SessionView, TurnMessage
from plugin_sdk.values import JsonValue


class CallStore:
    """Reads of one package in one session; what is staged in `data` shows.

    `hidden` are the namespaces whose `_hidden.<namespace>` may be read, too: those a package
    declares, for the code of its own function runtimes (spec/decisions.md 6).
    """

    def __init__(
        self,
        data: PluginDataView,
        session: SessionReads,
        life: CallLife,
        *,
        hidden: frozenset[str] = frozenset(),
    ) -> None:
        self._data = data
        self._session = session
        self._life = life
        self._hidden = hidden

    async def get_plugin_data(self, namespace: str, key: str) -> JsonValue:
        return await self._life.use(
            lambda: read_record(self._data, namespace, key, hidden=self._hidden)
        )

    async def list_plugin_data(
        self, namespace: str, *, after: str = "", limit: int | None = None
    ) -> list[DataItem]:
        return await self._life.use(
            lambda: read_records(
                self._data, namespace, after=after, limit=limit, hidden=self._hidden
            )
        )

    async def get_session(self) -> SessionView:
        self._life.check()
        return self._session.view()

    async def list_player_inputs(self) -> list[PlayerInput]:
        return await self._life.use(self._session.player_inputs)

    async def list_turn_messages(self, limit: int | None = None) -> list[TurnMessage]:
        return await self._life.use(lambda: self._session.newest(limit))

    async def read_turn_messages(
        self, *, after: str | None = None, limit: int = 100
    ) -> MessagePage:
        return await self._life.use(lambda: self._session.page(after=after, limit=limit))
