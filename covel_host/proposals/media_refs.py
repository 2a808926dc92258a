"""The assets that payloads refer to, and whether a session may use them (seed: 提交前的检查)."""

import re
from dataclasses import dataclass

from covel_host.store.assets import get_asset, may_use_asset
from covel_host.store.transaction import Reading
from plugin_sdk.values import JsonValue

_MEDIA_ID = re.compile(r"[0-9a-f]{64}")
_SIGN = b'"mime":'


@dataclass(frozen=True, slots=True)
class MediaUse:
    """One reference inside a payload; `size_bytes` is None where the reference does not say."""

    media_id: str
    mime: str
    size_bytes: int | None


@dataclass(frozen=True, slots=True)
class MediaProblem:
    """Why a reference is refused."""

    code: str
    message: str


def may_hold_media(payload_text: bytes) -> bool:
    """Whether a payload of this compact JSON text can hold a reference; most hold none.

    Looking into a text is far cheaper than walking a big record.
    """
    return _SIGN in payload_text


def media_uses(payload: JsonValue) -> tuple[MediaUse, ...]:
    """Every media reference in `payload`, at any depth, each once, in no order that matters.

    A reference is an object whose `id` is a SHA-256 in lower-case hex and whose `mime` is text
    (spec/media.md 1); further members change nothing.
    """
    found: dict[MediaUse, None] = {}
    rest = [payload]
    while rest:
        value = rest.pop()
        if isinstance(value, dict):
            if (use := _use(value)) is not None:
                found[use] = None
            rest.extend(value.values())
        elif isinstance(value, list):
            rest.extend(value)
    return tuple(found)


def media_problem(reading: Reading, session_id: str, use: MediaUse) -> MediaProblem | None:
    """Why the session may not write this reference; None when it may."""
    asset = get_asset(reading, use.media_id)
    if asset is None:
        return MediaProblem(
            "media-not-found", f"the media reference {use.media_id!r} names no stored asset."
        )
    if not may_use_asset(reading, use.media_id, session_id=session_id):
        return MediaProblem(
            "media-reference-forbidden",
            f"the asset {use.media_id!r} belongs to another session, and this one has no "
            "reference to it.",
        )
    if use.mime != asset.mime or use.size_bytes not in (None, asset.size_bytes):
        return MediaProblem(
            "media-reference-mismatch",
            f"the media reference {use.media_id!r} says {use.mime!r} and {use.size_bytes} bytes; "
            f"the asset is {asset.mime!r} and has {asset.size_bytes} bytes.",
        )
    return None


def _use(value: dict[str, JsonValue]) -> MediaUse | None:
    media_id, mime, size_bytes = value.get("id"), value.get("mime"), value.get("size")
    if not isinstance(media_id, str) or not isinstance(mime, str):
        return None
    if not _MEDIA_ID.fullmatch(media_id):
        return None
    return MediaUse(media_id, mime, size_bytes if isinstance(size_bytes, int) else None)
