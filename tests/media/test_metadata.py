"""Metadata is copied, cleaned and never altered in place."""

from typing import Any

import pytest

from covel_host.media.errors import MediaRefused
from covel_host.media.metadata import clean_metadata


def test_nul_characters_go_and_the_caller_s_object_stays() -> None:
    given: dict[str, Any] = {"k\0ind": "sprite\0", "tags": ["a\0b", {"x\0": 1}], "n": None}
    assert clean_metadata(given) == {"kind": "sprite", "tags": ["ab", {"x": 1}], "n": None}
    assert "k\0ind" in given
    assert clean_metadata(None) == {}


@pytest.mark.parametrize(
    "meta", [{"a": 1, "a\0": 2}, {"deep": [{"\0": 1, "": 2}]}, {"a": object()}, {"a": float("nan")}]
)
def test_keys_that_become_one_and_what_is_no_json_are_refused(meta: Any) -> None:
    with pytest.raises(MediaRefused) as refused:
        clean_metadata(meta)
    assert refused.value.code == "media-metadata-invalid"
