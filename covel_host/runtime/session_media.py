"""Storing media for sessions: the bytes first, then the rows that let a session use them."""

from collections.abc import Callable, Mapping
from datetime import datetime

from covel_host.base.clock import Clock
from covel_host.base.daemon_threads import run_in_daemon_thread
from covel_host.media.files import MediaFiles, StoredFile
from covel_host.media.metadata import clean_metadata
from covel_host.store.assets import add_media_ref, insert_asset, record_owner
from covel_host.store.records import MediaAssetRecord
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from plugin_sdk.values import JsonValue
from plugin_sdk.wire import MediaRef


class SessionMedia:
    """Files below one folder, and the rows of the sessions that may use them."""

    def __init__(self, files: MediaFiles, store: Store, *, clock: Clock) -> None:
        self._files = files
        self._store = store
        self._clock = clock

    async def put(
        self,
        data: bytes,
        *,
        mime: str,
        meta: Mapping[str, JsonValue] | None,
        session_id: str,
        plugin_id: str,
        check: Callable[[], None],
    ) -> MediaRef:
        """Store `data` for the session; it owns what nobody owned, and may use it.

        `check` is called before the rows are written: what it raises keeps them from being so
        (spec/media.md 3). The rows stay, whatever becomes of the run.

        Raises:
            MediaRefused, MediaUnusable: nothing was stored.
        """
        cleaned = clean_metadata(meta)
        stored = await run_in_daemon_thread(
            lambda: self._files.put(data, declared_mime=mime), name="covel media"
        )

        def record(transaction: Transaction) -> MediaAssetRecord:
            check()
            at = self._clock.now()
            asset = insert_asset(transaction, _record(stored, cleaned, at=at))
            media_id = asset.media_id
            record_owner(transaction, media_id, session_id=session_id, plugin_id=plugin_id)
            add_media_ref(transaction, media_id, session_id=session_id, plugin_id=plugin_id, at=at)
            return asset

        asset = await self._store.transaction(record)
        return MediaRef(id=asset.media_id, mime=asset.mime, size=asset.size_bytes)


def _record(stored: StoredFile, meta: dict[str, JsonValue], *, at: datetime) -> MediaAssetRecord:
    return MediaAssetRecord(
        media_id=stored.media_id,
        mime=stored.mime,
        size_bytes=stored.size_bytes,
        meta=meta,
        created_at=at,
    )
