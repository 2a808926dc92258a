"""Rows of stored media files: what each is, who owns it, which sessions may use it.

The bytes lie in `covel_host.media`; they are there before the row is (spec/media.md 2.1).
"""

from datetime import datetime

from sqlalchemy import bindparam, delete, exists, or_, select, update
from sqlalchemy.dialects.sqlite import insert

from covel_host.base.json_text import dump_json
from covel_host.store.limits import DEFAULT_LIMIT, checked_limit
from covel_host.store.records import MediaAssetRecord
from covel_host.store.statements import Parameters, Statement
from covel_host.store.tables import MEDIA_ASSETS, MEDIA_REFS
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_object, parsed_time, time_text

_IS_ASSET = MEDIA_ASSETS.c.media_id == bindparam("media_id")
_IS_REF = (
    MEDIA_REFS.c.session_id == bindparam("session_id"),
    MEDIA_REFS.c.media_id == bindparam("media_id"),
)

_INSERT = Statement(insert(MEDIA_ASSETS).on_conflict_do_nothing())
_GET = Statement(select(MEDIA_ASSETS).where(_IS_ASSET))
_OWN = Statement(
    update(MEDIA_ASSETS)
    .where(MEDIA_ASSETS.c.media_id == bindparam("id"), MEDIA_ASSETS.c.owner_session_id.is_(None))
    .values(
        owner_session_id=bindparam("session_id", type_=MEDIA_ASSETS.c.owner_session_id.type),
        owner_plugin_id=bindparam("plugin_id", type_=MEDIA_ASSETS.c.owner_plugin_id.type),
    )
)
_OWNED_BY = MEDIA_ASSETS.c.owner_session_id == bindparam("session_id")
_HELD_BY = (
    MEDIA_REFS.c.media_id == MEDIA_ASSETS.c.media_id,
    MEDIA_REFS.c.session_id == bindparam("session_id"),
)
_HELD_BY_OTHER = (
    MEDIA_REFS.c.media_id == MEDIA_ASSETS.c.media_id,
    MEDIA_REFS.c.session_id != bindparam("session_id"),
)
_OF_SESSION = or_(_OWNED_BY, exists(select(MEDIA_REFS.c.media_id).where(*_HELD_BY)))
_LIST_OF_SESSION = Statement(
    select(MEDIA_ASSETS)
    .where(_OF_SESSION, MEDIA_ASSETS.c.media_id > bindparam("after"))
    .order_by(MEDIA_ASSETS.c.media_id)
    .limit(bindparam("limit"))
)
_DELETE_OF_SESSION = Statement(
    delete(MEDIA_ASSETS).where(
        _OF_SESSION,
        or_(MEDIA_ASSETS.c.owner_session_id.is_(None), _OWNED_BY),
        ~exists(select(MEDIA_REFS.c.media_id).where(*_HELD_BY_OTHER)),
    )
)
_ADD_REF = Statement(insert(MEDIA_REFS).on_conflict_do_nothing())
_USABLE = Statement(
    select(MEDIA_ASSETS.c.media_id).where(
        _IS_ASSET,
        or_(
            MEDIA_ASSETS.c.owner_session_id == bindparam("session_id"),
            exists(select(MEDIA_REFS.c.media_id).where(*_IS_REF)),
        ),
    )
)


def insert_asset(transaction: Transaction, asset: MediaAssetRecord) -> MediaAssetRecord:
    """Record a file whose bytes are stored; what is known of it already wins and is returned."""
    row: Parameters = {
        "media_id": asset.media_id,
        "mime": asset.mime,
        "size_bytes": asset.size_bytes,
        "meta": dump_json(asset.meta),
        "owner_session_id": asset.owner_session_id,
        "owner_plugin_id": asset.owner_plugin_id,
        "created_at": time_text(asset.created_at),
    }
    transaction.run(_INSERT, row)
    stored = get_asset(transaction, asset.media_id)
    assert stored is not None
    return stored


def get_asset(reading: Reading, media_id: str) -> MediaAssetRecord | None:
    """What is known of the file with that hash, or None."""
    row = reading.row(_GET, {"media_id": media_id})
    return None if row is None else _record(row)


def list_session_assets(
    reading: Reading, session_id: str, *, limit: int = DEFAULT_LIMIT, after: str = ""
) -> list[MediaAssetRecord]:
    """At most `limit` assets that the session owns or may use, by ID; `after` is the last read."""
    parameters: Parameters = {
        "session_id": session_id,
        "limit": checked_limit(limit),
        "after": after,
    }
    return [_record(row) for row in reading.rows(_LIST_OF_SESSION, parameters)]


def record_owner(
    transaction: Transaction, media_id: str, *, session_id: str, plugin_id: str | None
) -> bool:
    """Make the session the owner if the asset has none yet; whether it became the owner."""
    parameters = {"id": media_id, "session_id": session_id, "plugin_id": plugin_id}
    return transaction.run(_OWN, parameters) > 0


def add_media_ref(
    transaction: Transaction,
    media_id: str,
    *,
    session_id: str,
    plugin_id: str | None,
    at: datetime,
) -> None:
    """Let the session use the asset; doing it twice keeps the first (spec/media.md 2.1).

    Raises:
        RowConflictError: there is no such asset or session.
    """
    row = {
        "session_id": session_id,
        "media_id": media_id,
        "plugin_id": plugin_id,
        "created_at": time_text(at),
    }
    transaction.run(_ADD_REF, row)


def may_use_asset(reading: Reading, media_id: str, *, session_id: str) -> bool:
    """Whether the session owns the asset or has a reference to it."""
    return reading.row(_USABLE, {"media_id": media_id, "session_id": session_id}) is not None


def delete_session_assets(transaction: Transaction, session_id: str) -> int:
    """Forget the assets that this session holds and no other one; how many there were.

    To be called before the session is deleted. The bytes are deleted afterwards.
    """
    return transaction.run(_DELETE_OF_SESSION, {"session_id": session_id})


def _record(row: Row) -> MediaAssetRecord:
    return MediaAssetRecord(
        media_id=row[0],
        mime=row[1],
        size_bytes=row[2],
        meta=parsed_object(row[3]),
        owner_session_id=row[4],
        owner_plugin_id=row[5],
        created_at=parsed_time(row[6]),
    )
