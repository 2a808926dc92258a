"""Metadata of media files, made fit to be stored (spec/media.md 2.1)."""

from collections.abc import Mapping

from covel_host.base.json_text import JsonValueError, json_copy
from covel_host.media.errors import MediaRefused
from plugin_sdk.values import JsonObject, JsonValue

_NUL = "\0"


def clean_metadata(meta: Mapping[str, object] | None) -> JsonObject:
    """A JSON copy of `meta` without NUL characters; the caller's object stays as it is.

    Raises:
        MediaRefused: `media-metadata-invalid`: no JSON, or two keys that become one.
    """
    try:
        copy = json_copy(dict(meta or {}))
    except JsonValueError as error:
        raise _invalid(f"The metadata cannot be stored as JSON: {error}.") from error
    cleaned = _clean(copy)
    assert isinstance(cleaned, dict)
    return cleaned


def _clean(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return value.replace(_NUL, "")
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        cleaned = {key.replace(_NUL, ""): _clean(item) for key, item in value.items()}
        if len(cleaned) < len(value):
            raise _invalid("Two keys of the metadata are one without their NUL characters.")
        return cleaned
    return value


def _invalid(message: str) -> MediaRefused:
    return MediaRefused(message, code="media-metadata-invalid")
