"""What package code may read of its session, as one execution froze it."""

from collections.abc import Callable

from covel_host.store.lorebook import every_lorebook_entry
from covel_host.store.messages import list_messages
from covel_host.store.player_inputs import list_player_inputs
from covel_host.store.records import LorebookRecord, MessageRecord, PlayerInputRecord, SessionRecord
from covel_host.store.store import Store
from covel_host.store.transaction import Reading
from plugin_sdk.errors import ToolError
from plugin_sdk.records import MessagePage, PlayerInput, SessionView, TurnMessage

MAX_PAGE = 500
_CHUNK = 500
_MAX_CURSOR_DIGITS = 15


class SessionReads:
    """Reads one session at the revision an execution began with; committed turns only."""

    def __init__(self, store: Store, session: SessionRecord) -> None:
        self._store = store
        self._session = session
        self._lorebook: tuple[LorebookRecord, ...] | None = None

    def view(self) -> SessionView:
        """The session as package code sees it."""
        session = self._session
        return SessionView(
            id=session.session_id,
            world_id=session.world_id,
            phase=session.phase,
            status=session.status,
            locale=session.locale,
            completed_player_turns=session.completed_player_turns,
            active_plugins=session.active_packages,
            created_at=session.created_at,
        )

    async def newest(self, limit: int | None) -> list[TurnMessage]:
        """The newest `limit` messages, or all of them, oldest first."""
        if limit is not None and limit < 0:
            raise ToolError("invalid-input", f"limit is {limit!r}; it must be 0 or more.")
        found: list[MessageRecord] = []
        before: int | None = None
        while limit is None or len(found) < limit:
            wanted = _CHUNK if limit is None else min(_CHUNK, limit - len(found))
            page = await self._store.read(self._page(wanted, before=before))
            found[:0] = page
            if len(page) < wanted:
                break
            before = page[0].sequence
        return [_message(record) for record in found]

    async def page(self, *, after: str | None, limit: int) -> MessagePage:
        """At most `limit` (up to 500) messages after the cursor `after`, oldest first."""
        if not 1 <= limit <= MAX_PAGE:
            raise ToolError(
                "invalid-input", f"limit is {limit!r}; it must be from 1 to {MAX_PAGE}."
            )
        start = _sequence_of(after)
        records = await self._store.read(self._page(limit + 1, before=start + limit + 2))
        wanted = [record for record in records if record.sequence > start]
        shown = wanted[:limit]
        return MessagePage(
            messages=tuple(_message(record) for record in shown),
            cursor=str(shown[-1].sequence) if shown else after,
            has_more=len(wanted) > limit,
        )

    async def lorebook(self) -> tuple[LorebookRecord, ...]:
        """Every lorebook entry of the session, by owner and ID; read once.

        The current ones: the session's lock keeps them still while an execution goes on.
        """
        if self._lorebook is None:
            session_id = self._session.session_id
            self._lorebook = tuple(
                await self._store.read(lambda reading: every_lorebook_entry(reading, session_id))
            )
        return self._lorebook

    async def player_inputs(self) -> list[PlayerInput]:
        """The accepted answers of the session's players, oldest first."""
        found: list[PlayerInputRecord] = []
        before: int | None = None
        while True:
            page = await self._store.read(self._answers(before))
            found[:0] = page
            if len(page) < _CHUNK:
                return [player_input(record) for record in found]
            before = page[0].source.sequence

    def _answers(self, before: int | None) -> Callable[[Reading], list[PlayerInputRecord]]:
        session = self._session
        return lambda reading: list_player_inputs(
            reading,
            session.session_id,
            limit=_CHUNK,
            before=before,
            at_revision=session.revision,
        )

    def _page(self, limit: int, *, before: int | None) -> Callable[[Reading], list[MessageRecord]]:
        session = self._session
        return lambda reading: list_messages(
            reading,
            session.session_id,
            limit=limit,
            before=before,
            at_revision=session.revision,
        )


def player_input(record: PlayerInputRecord) -> PlayerInput:
    """A stored answer as package code sees it."""
    return PlayerInput(
        id=record.input_id,
        session_id=record.source.session_id,
        turn_id=record.source.turn_id,
        form_id=record.interaction_id,
        values=record.values,
        created_at=record.source.created_at,
    )


def _sequence_of(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= _MAX_CURSOR_DIGITS):
        raise ToolError("invalid-input", f"{cursor!r} is no cursor of this session's messages.")
    return int(cursor)


def _message(record: MessageRecord) -> TurnMessage:
    return TurnMessage(
        id=record.message_id,
        turn_id=record.turn_id,
        role=record.role,
        content=record.content,
        source_type=record.source,
        source_plugin_id=record.plugin_id,
        created_at=record.created_at,
    )
