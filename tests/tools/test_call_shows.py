"""`interaction` and `ui` of a result, whichever tool gave it (seed: 交互协议, render-ui)."""

from typing import Any

import pytest

from covel_host.tools.call_shows import ShowInvalid, shown_by

PART = {"id": "p", "type": "Card", "status": "success", "content": {}}
CONFIRM = {"type": "confirmation", "interactionId": "c", "prompt": "?", "narrativeTemplate": "x"}


def test_an_interaction_and_every_block_become_proposals() -> None:
    content: Any = {"interaction": CONFIRM, "ui": [{"parts": [PART]}, {"parts": [PART]}]}
    shows = shown_by(content)
    assert [shown.type for shown in shows] == ["interaction.request", "ui.render", "ui.render"]
    assert shows[0].payload() == {"interaction": CONFIRM}


@pytest.mark.parametrize(
    "content", [None, 7, [], {}, {"interaction": "friendly", "ui": {"parts": []}}, {"ui": []}]
)
def test_other_values_are_plain_data(content: Any) -> None:
    assert shown_by(content) == ()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"ui": [{"parts": [PART]}, {"layout": "split"}]}, "the result's 'ui.1' cannot be shown"),
        ({"ui": ["text"]}, "the result's 'ui.0' cannot be shown"),
        ({"interaction": {"type": "riddle"}}, "the result's 'interaction' cannot be shown"),
        (
            {
                "interaction": {
                    "type": "form",
                    "interactionId": "f",
                    "title": "t",
                    "submitLabel": "s",
                    "narrativeTemplate": "n",
                    "fields": [{"type": "select", "name": "a", "label": "A"}],
                }
            },
            "fields.0.options: A select needs at least one option.",
        ),
    ],
)
def test_what_no_client_can_render_is_refused(content: Any, problem: str) -> None:
    with pytest.raises(ShowInvalid) as refusal:
        shown_by(content)
    assert problem in str(refusal.value)
