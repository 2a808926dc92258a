from typing import Any

import pytest

from tests.tools.builtin.calling import answer, called, error

STAY = {"id": "a", "label": "Stay", "category": "safe"}
GO = {"id": "b", "label": "Go", "description": "Into the dark."}


def test_the_choices_become_an_interaction_said_in_the_words_of_the_label() -> None:
    given = {"choiceId": "door", "prompt": "What do you do?", "choices": [STAY, GO]}
    result = called("create-choices", {**given, "actionKind": "act"})
    content: Any = result.content
    assert content["interaction"] == {
        "type": "choice",
        "interactionId": "door",
        "prompt": "What do you do?",
        "choices": [STAY, GO],
        "actionKind": "act",
        "narrativeTemplate": "{{selectedLabel}}",
    }
    assert list(answer(result)) == ["summary"]
    assert [shown.type for shown in result.shows] == ["interaction.request"]


@pytest.mark.parametrize(
    ("choices", "paths"),
    [
        ([STAY], ["choices"]),
        ([STAY, {**GO, "id": "a"}], ["choices.1.id"]),
        ([STAY, {"id": "b"}], ["choices.1.label"]),
    ],
)
def test_choices_that_cannot_be_told_apart_are_refused(choices: Any, paths: list[str]) -> None:
    given = {"choiceId": "door", "prompt": "?", "choices": choices}
    assert error(called("create-choices", given)) == ("invalid-input", paths)
