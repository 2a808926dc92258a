"""`ctx.store` of an RPC action: reads of what is committed, writes that are committed at once."""

from dataclasses import replace
from typing import Final

from covel_host.proposals.overlay import PluginDataView
from covel_host.proposals.stored_data import StoredPluginData
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.call_store import CallStore
from covel_host.runtime.session_reads import SessionReads
from covel_host.store.records import SessionRecord
from covel_host.store.store import Store
from covel_host.turn.action_writes import ActionWrites
from covel_host.turn.answers import AnswerTaker
from plugin_sdk.errors import ToolError
from plugin_sdk.records import TurnMessage
from plugin_sdk.values import JsonObject, JsonValue

MAX_MESSAGES: Final = 200
"""The newest messages that `list_turn_messages` reaches (spec/api.md 7)."""


class ActionStoreView(CallStore):
    """The `ActionStore` of one call (seed: RPC handler 的 store view).

    Bound to its session and package; no transaction, no life cycle, no `_hidden.*`.
    """

    def __init__(
        self,
        store: Store,
        session: SessionRecord,
        *,
        plugin_id: str,
        life: CallLife,
        writes: ActionWrites,
        answers: AnswerTaker,
    ) -> None:
        stored = StoredPluginData(store, session_id=session.session_id, plugin_id=plugin_id)
        data = PluginDataView(stored, plugin_id=plugin_id)
        super().__init__(data, SessionReads(store, session), life)
        self._store = store
        self._record = session
        self._writes = writes
        self._answers = answers

    async def list_turn_messages(self, limit: int | None = None) -> list[TurnMessage]:
        if limit is not None and limit > MAX_MESSAGES:
            raise ToolError(
                "invalid-input",
                f"limit is {limit!r}; an action reads at most the newest {MAX_MESSAGES} messages.",
                hint="Page through older ones with read_turn_messages.",
            )
        return await super().list_turn_messages(MAX_MESSAGES if limit is None else limit)

    async def set_plugin_data(self, namespace: str, key: str, value: JsonValue) -> None:
        place: dict[str, object] = {"namespace": namespace, "key": key}
        kind, payload = "plugin.data", {**place, "value": value}
        if value is None:
            kind, payload = "plugin.data.delete", place
        await self._life.use(lambda: self._writes.write(kind, payload))

    async def save_player_input(self, *, turn_id: str, form_id: str, values: JsonObject) -> None:
        async def saved() -> None:
            revision = await self._answers.take_one(turn_id, form_id, values)
            self._writes.wrote(revision)
            # Answers are read at a revision, and this one is newer than the call's first.
            self._session = SessionReads(self._store, replace(self._record, revision=revision))

        await self._life.use(saved)
