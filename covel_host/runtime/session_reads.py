"""What package code may read of its session, as one execution froze it."""

from collections.abc import Callable, Iterable

from covel_host.proposals.narrative_writes import NARRATIVE
from covel_host.runtime.lore_shelf import LoreShelf
from covel_host.runtime.prompt_lore import Lorebook
from covel_host.runtime.witnessed import Witness
from covel_host.store.delegations import turns_delegated_to
from covel_host.store.messages import list_messages
from covel_host.store.player_inputs import list_player_inputs
from covel_host.store.records import MessageRecord, PlayerInputRecord, SessionRecord
from covel_host.store.store import Store
from covel_host.store.transaction import Reading
from plugin_sdk.errors import ToolError
from plugin_sdk.records import MessagePage, PlayerInput, SessionView, TurnMessage

MAX_PAGE = 500
_CHUNK = 500
_MAX_CURSOR_DIGITS = 15


class SessionReads:
    """Reads one session at the revision an execution began with; committed turns only.

    Lorebooks come from the shelf of the process; without one from a shelf of its own.
    """

    def __init__(
        self, store: Store, session: SessionRecord, *, lore: LoreShelf | None = None
    ) -> None:
        self._store = store
        self._session = session
        self._lore = LoreShelf(store) if lore is None else lore
        self._lorebook: Lorebook | None = None

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

    async def witnessed(self, witness: Witness, *, limit: int) -> list[TurnMessage]:
        """The newest `limit` messages of turns that a character witnessed, oldest first."""
        session = self._session
        delegated = await self._store.read(
            lambda reading: turns_delegated_to(
                reading,
                session.session_id,
                witness.character_id,
                at_revision=session.revision,
            )
        )
        seen: list[MessageRecord] = []
        rest: list[MessageRecord] = []
        before: int | None = None
        is_last = False
        while len(seen) < limit and not is_last:
            page = await self._store.read(self._page(_CHUNK, before=before))
            is_last = len(page) < _CHUNK
            turns = _turns([*page, *rest])
            # The oldest one may begin in the page before.
            rest = [] if is_last or not turns else turns.pop(0)
            for turn in reversed(turns):
                if witness.was_there(turn, delegated):
                    seen[:0] = [message for message in turn if _is_story(message)]
            before = page[0].sequence if page else None
        return [_message(record) for record in seen[-limit:]]

    async def lorebook(self) -> Lorebook:
        """The session's lorebook, read once.

        The current one: the session's lock keeps it still while an execution goes on.
        """
        if self._lorebook is None:
            self._lorebook = await self._lore.of(self._session)
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


def _turns(messages: Iterable[MessageRecord]) -> list[list[MessageRecord]]:
    turns: dict[str, list[MessageRecord]] = {}
    for message in messages:
        turns.setdefault(message.turn_id, []).append(message)
    return list(turns.values())


def _is_story(message: MessageRecord) -> bool:
    """Whether it is part of what happened: what a player did, or what was told."""
    return message.source == "player" or message.kind == NARRATIVE


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
