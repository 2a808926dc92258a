"""Reading the body of an answer within its limit, packed or not."""

import zlib
from collections.abc import AsyncIterable
from typing import Final

from covel_host.net.errors import HttpFailed

MAX_BODY_BYTES: Final = 10 * 1024 * 1024
_WINDOWS: Final = {"gzip": 31, "x-gzip": 31, "deflate": zlib.MAX_WBITS}


async def read_body(
    pieces: AsyncIterable[bytes], encoding: str, *, host: str, limit: int = MAX_BODY_BYTES
) -> bytes:
    """The whole body, unpacked; never more than `limit` bytes of it are held.

    Raises:
        HttpFailed: `unavailable`: it is larger, packed in another way than `gzip` or `deflate`,
            broken, or goes on after its packed part has ended.
    """
    unpacking = _unpacking(encoding.strip().lower(), host)
    body = bytearray()
    async for piece in pieces:
        try:
            body += piece if unpacking is None else unpacking.decompress(piece, limit + 1)
        except zlib.error:
            raise _broken(host) from None
        # What is left packed would be more than the limit.
        if len(body) > limit or (unpacking is not None and unpacking.unconsumed_tail):
            raise HttpFailed(
                f"The answer of {host!r} has more than {limit:,} bytes.", code="unavailable"
            )
        # What follows the end would be gathered without a limit, or lost if it is a second part.
        if unpacking is not None and unpacking.unused_data:
            raise _broken(host)
    if unpacking is not None and not unpacking.eof and body:
        raise _broken(host)
    return bytes(body)


def _unpacking(encoding: str, host: str) -> "zlib._Decompress | None":
    if encoding in ("", "identity"):
        return None
    window = _WINDOWS.get(encoding)
    if window is None:
        raise HttpFailed(
            f"The answer of {host!r} is packed in a way that was not asked for.",
            code="unavailable",
        )
    return zlib.decompressobj(window)


def _broken(host: str) -> HttpFailed:
    return HttpFailed(f"The answer of {host!r} is broken off or damaged.", code="unavailable")
