"""Files of media that no session holds any more, removed."""

from covel_host.base.daemon_threads import run_in_daemon_thread
from covel_host.media.claims import claimed
from covel_host.media.files import MediaFiles
from covel_host.store.assets import get_asset
from covel_host.store.store import Store


async def sweep_media(files: MediaFiles, store: Store) -> int:
    """Remove every file that no row names, such as those of deleted sessions; how many.

    It waits until nobody is between the bytes and the rows of a file.

    Raises:
        MediaUnusable: the folder was in use for too long, or a file cannot be deleted.
    """
    if not files.root.is_dir():
        return 0
    async with claimed(files.root, is_exclusive=True):
        media_ids = await run_in_daemon_thread(lambda: list(files.ids()), name="covel media")
        unnamed = await store.read(
            lambda reading: [one for one in media_ids if get_asset(reading, one) is None]
        )
        for media_id in unnamed:
            files.delete(media_id)
    return len(unnamed)
