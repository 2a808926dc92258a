"""What kind of file some bytes are, by their first bytes; a declared type is only compared."""

from covel_host.media.errors import MediaRefused

# Offset, bytes and type. What is not in this table is not stored.
_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (4, b"ftypavif", "image/avif"),
    (8, b"WAVE", "audio/wav"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"OggS", "audio/ogg"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
)
_RIFF = ("image/webp", "audio/wav")
# Eleven set bits begin a frame of MPEG audio; the two bits of its layer are not zero.
_FRAME_FIRST, _FRAME_MASK, _LAYER_MASK = 0xFF, 0xE0, 0x06
_LOOKED_AT = 1024
_SAME_TYPES = {
    "image/jpg": "image/jpeg",
    "audio/mp3": "audio/mpeg",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/vnd.wave": "audio/wav",
    "audio/x-flac": "audio/flac",
    "audio/x-m4a": "audio/mp4",
    "audio/m4a": "audio/mp4",
    "application/ogg": "audio/ogg",
    "audio/webm": "video/webm",
}
_ANY_TYPE = ("", "application/octet-stream")
_SVG = "image/svg+xml"


def checked_mime(data: bytes, *, declared: str = "") -> str:
    """The type of the file that `data` is, in lower case without parameters.

    Args:
        declared: What the sender calls it; "" when nothing is said.

    Raises:
        MediaRefused: `media-svg-refused` for SVG under whatever name; `media-type-unknown`;
            `media-type-mismatch` when the bytes are not what they are declared to be.
    """
    name = declared.partition(";")[0].strip().lower()
    name = _SAME_TYPES.get(name, name)
    if name == _SVG or _is_svg(data):
        raise MediaRefused(
            "The file is an SVG, and SVG files are not stored: they can hold scripts.",
            code="media-svg-refused",
            hint="Convert it to PNG or WebP.",
        )
    found = _sniffed(data)
    if found is None:
        raise MediaRefused(
            f"The file (declared type {declared!r}) is of no known kind.",
            code="media-type-unknown",
            hint=f"Known are {', '.join(sorted({mime for _, _, mime in _SIGNATURES}))}.",
        )
    if name not in (*_ANY_TYPE, found):
        raise MediaRefused(
            f"The file is declared {declared!r}, and its bytes are {found!r}.",
            code="media-type-mismatch",
            hint=f"Declare it as {found!r}.",
        )
    return found


def _sniffed(data: bytes) -> str | None:
    for offset, signature, mime in _SIGNATURES:
        if data.startswith(signature, offset) and (mime not in _RIFF or data.startswith(b"RIFF")):
            return mime
    is_frame = len(data) > 1 and data[0] == _FRAME_FIRST and data[1] & _FRAME_MASK == _FRAME_MASK
    return "audio/mpeg" if is_frame and data[1] & _LAYER_MASK else None


def _is_svg(data: bytes) -> bool:
    # NUL bytes go, so that UTF-16 reads like ASCII.
    head = data[:_LOOKED_AT].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").lower()
    return head.startswith(b"<") and b"<svg" in head
