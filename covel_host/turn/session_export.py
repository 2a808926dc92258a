"""A session as one JSON document for people: what it holds, without what is hidden.

The document is described in docs/sessions.md. It is no backup: `covel db backup` makes those.
"""

from collections.abc import Callable, Collection, Iterator
from operator import attrgetter
from typing import Any, Final, TypeVar

from covel_host.store.assets import list_session_assets
from covel_host.store.character_schemas import get_character_schema
from covel_host.store.characters import every_character
from covel_host.store.dimensions import every_dimension
from covel_host.store.events import list_events
from covel_host.store.interactions import list_interactions
from covel_host.store.limits import MAX_LIMIT
from covel_host.store.lorebook import every_lorebook_entry
from covel_host.store.messages import list_messages
from covel_host.store.player_inputs import list_player_inputs
from covel_host.store.seats import every_seat
from covel_host.store.session_data import every_shown_record
from covel_host.store.session_worlds import session_world_text
from covel_host.store.snapshots import list_snapshots
from covel_host.store.tool_calls import list_tool_calls
from covel_host.store.transaction import Reading
from covel_host.store.turns import list_turns
from covel_host.store.ui_blocks import list_ui_blocks
from covel_host.turn.session_export_rows import (
    asset_row,
    event_row,
    input_row,
    interaction_row,
    lorebook_row,
    message_row,
    record_row,
    seat_row,
    snapshot_row,
    turn_row,
    ui_block_row,
)
from covel_host.turn.session_state import read_session_state, session_state_json

FORMAT: Final = "covel-session"
FORMAT_VERSION: Final = 1

Row = TypeVar("Row")


def export_session(
    reading: Reading, session_id: str, *, concealed: Collection[str] = ()
) -> dict[str, object]:
    """The document, all of it from one committed state; its members are lists in stored order.

    Left out are rows of the host, hidden data, the rules of dimensions, traces, and what runtimes
    of `concealed` (by ID) did beyond that they ran (spec/protocol.md 6).

    Raises:
        SessionNotFoundError: there is no such session.
    """
    state = read_session_state(reading, session_id)
    world = session_world_text(reading, session_id)
    place = (reading, session_id)
    return {
        "format": FORMAT,
        "formatVersion": FORMAT_VERSION,
        "session": session_state_json(state),
        "seats": [seat_row(seat) for seat in every_seat(*place)],
        "world": None if world is None else world.parsed(),
        "characterSchema": get_character_schema(*place),
        "characters": every_character(*place),
        "dimensions": {one.dimension_id: one.public() for one in every_dimension(*place)},
        "lorebook": [lorebook_row(entry) for entry in every_lorebook_entry(*place)],
        "messages": [
            message_row(one)
            for one in _all(list_messages, *place, sequence=attrgetter("sequence"))
            if one.runtime_id not in concealed
        ],
        "turns": _turns(reading, session_id, concealed),
        "interactions": [interaction_row(one) for one in _all(list_interactions, *place)],
        "playerInputs": [input_row(one) for one in _all(list_player_inputs, *place)],
        "interfaceBlocks": [ui_block_row(one) for one in _all(list_ui_blocks, *place)],
        "events": [event_row(one) for one in _all(list_events, *place)],
        "pluginData": [record_row(one) for one in every_shown_record(*place)],
        "media": list(_media(reading, session_id)),
        "snapshots": [snapshot_row(one) for one in list_snapshots(*place, limit=MAX_LIMIT)],
    }


def _turns(
    reading: Reading, session_id: str, concealed: Collection[str]
) -> list[dict[str, object]]:
    return [
        turn_row(
            turn,
            list_tool_calls(reading, session_id, turn.turn_id, limit=MAX_LIMIT),
            concealed,
        )
        for turn in reversed(list(_newest_first(reading, session_id)))
    ]


def _newest_first(reading: Reading, session_id: str) -> Iterator[Any]:
    before: int | None = None
    while True:
        page = list_turns(reading, session_id, limit=MAX_LIMIT, before=before)
        yield from page
        if len(page) < MAX_LIMIT:
            return
        before = page[-1].sequence


def _media(reading: Reading, session_id: str) -> Iterator[dict[str, object]]:
    after = ""
    while True:
        page = list_session_assets(reading, session_id, limit=MAX_LIMIT, after=after)
        yield from map(asset_row, page)
        if len(page) < MAX_LIMIT:
            return
        after = page[-1].media_id


def _all(
    newest: Callable[..., list[Row]],
    reading: Reading,
    session_id: str,
    *,
    sequence: Callable[[Any], int] = attrgetter("source.sequence"),
) -> list[Row]:
    """Every row of a list that is read from its end, in order."""
    pages: list[list[Row]] = []
    before: int | None = None
    while True:
        page = newest(reading, session_id, limit=MAX_LIMIT, before=before)
        pages.append(page)
        if len(page) < MAX_LIMIT:
            return [row for one in reversed(pages) for row in one]
        before = sequence(page[0])
