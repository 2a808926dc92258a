"""Why a file is not taken or not found."""

from covel_host.base.errors import HostError


class MediaRefused(HostError):
    """Bytes that are not stored; nothing was written.

    `code` is `media-empty`, `media-too-large`, `media-svg-refused`, `media-type-unknown`,
    `media-type-mismatch` or `media-metadata-invalid`.
    """


class MediaMissing(HostError):
    """There are no bytes with that hash; `media_id` names it."""

    def __init__(self, media_id: str) -> None:
        super().__init__(
            f"No stored file has the ID {media_id!r}.",
            code="media-not-found",
            hint="Store the bytes first; the ID is what storing them gives.",
        )
        self.media_id = media_id


class MediaUnusable(HostError):
    """The media folder cannot be written or read; the message holds the system's own sentence."""
