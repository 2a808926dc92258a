"""Storing media for sessions: the bytes first, then the rows that let a session use them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime

from covel_host.base.clock import Clock
from covel_host.base.daemon_threads import run_in_daemon_thread
from covel_host.media.claims import claimed
from covel_host.media.errors import MediaUnusable
from covel_host.media.files import MediaFiles, StoredFile
from covel_host.media.metadata import clean_metadata
from covel_host.store.assets import add_media_ref, get_asset, insert_asset, record_owner
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

        def record(transaction: Transaction) -> MediaAssetRecord:
            check()
            at = self._clock.now()
            return let_use(transaction, stored, cleaned, session_id, plugin_id=plugin_id, at=at)

        async with claimed(self._files.root):
            stored = await run_in_daemon_thread(
                lambda: self._files.put(data, declared_mime=mime), name="covel media"
            )
            asset = await self._store.transaction(record)
        return MediaRef(id=asset.media_id, mime=asset.mime, size=asset.size_bytes)

    @asynccontextmanager
    async def importing(
        self, media: Iterable[Callable[[], bytes]]
    ) -> AsyncIterator[Sequence[StoredFile]]:
        """Store what each of `media` reads, for a transaction in the block that writes the rows.

        The files are those of `media`, in order. When the block or the storing fails, files that
        no row names are removed again; files of a process that dies stay behind until equal
        content is stored.

        Raises:
            MediaRefused, MediaUnusable: nothing was stored.
            OSError: a file cannot be read; nothing was stored.
        """
        readers = list(media)
        if not readers:
            yield ()
            return
        stored: list[StoredFile] = []
        try:
            async with claimed(self._files.root):
                await self._put_all(readers, stored)
                yield stored
        except BaseException:
            await self._remove_unnamed({file.media_id for file in stored})
            raise

    async def _put_all(self, readers: list[Callable[[], bytes]], stored: list[StoredFile]) -> None:
        """Fill `stored`; a wait that is cancelled ends when nothing is written any more."""
        is_given_up = False

        def work() -> None:
            for read in readers:
                if is_given_up:
                    return
                stored.append(self._files.put(read()))

        working = asyncio.ensure_future(run_in_daemon_thread(work, name="covel media"))
        try:
            await asyncio.shield(working)
        except asyncio.CancelledError:
            is_given_up = True
            await asyncio.wait([working])
            raise

    async def _remove_unnamed(self, media_ids: Collection[str]) -> None:
        # Why the import failed is what is told; a folder in use keeps files that nothing names.
        with suppress(MediaUnusable):
            async with claimed(self._files.root, is_exclusive=True):
                named = await self._store.read(
                    lambda reading: {one for one in media_ids if get_asset(reading, one)}
                )
                await run_in_daemon_thread(
                    lambda: self._remove([one for one in media_ids if one not in named]),
                    name="covel media",
                )

    def _remove(self, media_ids: Iterable[str]) -> None:
        for media_id in media_ids:
            self._files.delete(media_id)


def let_use(
    transaction: Transaction,
    stored: StoredFile,
    meta: dict[str, JsonValue],
    session_id: str,
    *,
    plugin_id: str | None,
    at: datetime,
) -> MediaAssetRecord:
    """Write the rows of a stored file: the session owns it if nobody does, and may use it."""
    asset = MediaAssetRecord(
        media_id=stored.media_id,
        mime=stored.mime,
        size_bytes=stored.size_bytes,
        meta=meta,
        created_at=at,
    )
    known = insert_asset(transaction, asset)
    media_id = known.media_id
    record_owner(transaction, media_id, session_id=session_id, plugin_id=plugin_id)
    add_media_ref(transaction, media_id, session_id=session_id, plugin_id=plugin_id, at=at)
    return known
