"""The bytes decide what a file is; SVG never gets in."""

import pytest

from covel_host.media.errors import MediaRefused
from covel_host.media.sniffing import checked_mime

SAMPLES = {
    "image/png": b"\x89PNG\r\n\x1a\n....",
    "image/jpeg": b"\xff\xd8\xff\xe0....JFIF",
    "image/gif": b"GIF89a....",
    "image/webp": b"RIFF\x10\0\0\0WEBPVP8 ",
    "image/avif": b"\0\0\0\x20ftypavif....",
    "audio/wav": b"RIFF\x10\0\0\0WAVEfmt ",
    "audio/mpeg": b"ID3\x04....",
    "audio/flac": b"fLaC....",
    "audio/ogg": b"OggS....",
    "audio/mp4": b"\0\0\0\x20ftypM4A ....",
    "video/mp4": b"\0\0\0\x20ftypisom....",
    "video/webm": b"\x1aE\xdf\xa3....",
}


@pytest.mark.parametrize("mime", SAMPLES)
@pytest.mark.parametrize("declared", ["", "application/octet-stream", None])
def test_the_bytes_decide(mime: str, declared: str | None) -> None:
    assert checked_mime(SAMPLES[mime], declared=mime if declared is None else declared) == mime


@pytest.mark.parametrize(
    ("declared", "mime"),
    [
        ("IMAGE/PNG; charset=binary", "image/png"),
        ("image/jpg", "image/jpeg"),
        ("audio/mp3", "audio/mpeg"),
        ("audio/x-wav", "audio/wav"),
    ],
)
def test_other_names_of_one_type_are_that_type(declared: str, mime: str) -> None:
    assert checked_mime(SAMPLES[mime], declared=declared) == mime


def test_a_frame_of_mpeg_audio_needs_no_tag() -> None:
    assert checked_mime(b"\xff\xfb\x90\x00....") == "audio/mpeg"


@pytest.mark.parametrize(
    ("data", "declared", "code"),
    [
        (b"<svg xmlns='x'/>", "", "media-svg-refused"),
        (b"\xef\xbb\xbf\n<?xml version='1.0'?>\n<!-- a --><SVG>", "image/png", "media-svg-refused"),
        ("\ufeff<svg/>".encode("utf-16"), "", "media-svg-refused"),
        (SAMPLES["image/png"], "image/svg+xml; charset=utf-8", "media-svg-refused"),
        (SAMPLES["image/png"], "image/SVG+XML", "media-svg-refused"),
        (SAMPLES["image/png"], "image/jpeg", "media-type-mismatch"),
        (SAMPLES["audio/wav"], "image/webp", "media-type-mismatch"),
        (b"plain text", "text/plain", "media-type-unknown"),
        (b"XXXX\x10\0\0\0WEBP", "image/webp", "media-type-unknown"),
        (b"\xff", "", "media-type-unknown"),
        (b"\xff\xf9", "", "media-type-unknown"),
    ],
)
def test_what_is_not_stored_is_refused_with_its_reason(
    data: bytes, declared: str, code: str
) -> None:
    with pytest.raises(MediaRefused) as refused:
        checked_mime(data, declared=declared)
    assert refused.value.code == code
