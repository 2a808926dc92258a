from pathlib import Path

import pytest

from covel_host.models.errors import ModelError
from covel_host.models.selector import UseOffline, UseScript, UseSlot, parse_model_selector


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("offline", UseOffline()),
        ("story", UseSlot("story")),
        ("scripted:a/b.yaml", UseScript(Path("a/b.yaml"))),
        ("scripted:C:/b.yaml", UseScript(Path("C:/b.yaml"))),
        ("my:slot", UseSlot("my:slot")),
    ],
)
def test_selectors_are_read(text: str, expected: object) -> None:
    assert parse_model_selector(text) == expected


@pytest.mark.parametrize("text", ["", "  ", "scripted", "scripted:"])
def test_a_selector_that_names_nothing_is_refused(text: str) -> None:
    with pytest.raises(ModelError, match="scripted:FILE"):
        parse_model_selector(text)
