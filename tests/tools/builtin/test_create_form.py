from typing import Any

import pytest

from plugin_sdk.interactions import FormInteraction
from plugin_sdk.proposals import InteractionRequest
from tests.tools.builtin.calling import answer, called, error

FIELD = {"type": "number", "name": "oars", "label": "Oars", "min": 0, "max": 8, "step": 2}


def form(**members: Any) -> dict[str, Any]:
    return {
        "formId": "boat",
        "title": "Your boat",
        "fields": [FIELD],
        "submitLabel": "Row",
        "narrativeTemplate": "I row with {{oars}} oars.",
        **members,
    }


def test_the_form_stands_under_interaction_and_the_model_reads_a_sentence() -> None:
    result = called("create-form", form())
    assert result.content == {
        "created": True,
        "interaction": {
            "type": "form",
            "interactionId": "boat",
            "title": "Your boat",
            "fields": [FIELD],
            "submitLabel": "Row",
            "narrativeTemplate": "I row with {{oars}} oars.",
        },
    }
    assert answer(result) == {
        "summary": 'The form "boat" is shown to the player when this turn ends.'
    }
    assert result.proposals == ()
    [shown] = result.shows
    assert isinstance(shown, InteractionRequest)
    assert isinstance(shown.interaction, FormInteraction)


def test_every_optional_member_is_carried_over() -> None:
    extra = {
        "validation": {"name": "fits", "data": {"salt": None}},
        "submitBehavior": {"echoFilledNarrative": False},
        "notice": "Once more.",
        "actionKind": "boats/row",
    }
    content: Any = called("create-form", form(**extra)).content
    assert extra.items() <= content["interaction"].items()


def test_unknown_and_null_members_are_left_out() -> None:
    field = {**FIELD, "placeholder": None, "color": "red"}
    content: Any = called("create-form", form(fields=[field], notice=None, mood="good")).content
    assert content["interaction"]["fields"] == [FIELD]
    assert not {"notice", "mood"} & content["interaction"].keys()


@pytest.mark.parametrize("default", [0, False, "", 4])
def test_a_default_that_fits_is_kept_as_it_is(default: Any) -> None:
    kind = {bool: "checkbox", str: "text", int: "number"}[type(default)]
    field = {"type": kind, "name": "a", "label": "A", "defaultValue": default}
    content: Any = called("create-form", form(fields=[field])).content
    kept = content["interaction"]["fields"][0]["defaultValue"]
    assert (kept, type(kept)) == (default, type(default))


@pytest.mark.parametrize(
    ("members", "paths"),
    [
        ({"fields": [{**FIELD, "step": 0}]}, ["fields.0.step"]),
        ({"fields": [FIELD, FIELD]}, ["fields.1.name"]),
        ({"fields": [{**FIELD, "defaultValue": "4"}]}, ["fields.0.defaultValue"]),
        ({"fields": [{"type": "date", "name": "a", "label": "A"}]}, ["fields.0.type"]),
        ({"fields": [{"type": "text", "id": "a", "label": "A"}]}, ["fields.0.name"]),
        ({"formId": ""}, ["formId"]),
        ({"actionKind": "shout"}, ["actionKind"]),
        ({"title": None, "submitLabel": 3}, ["title", "submitLabel"]),
    ],
)
def test_what_no_answer_can_satisfy_is_named_by_its_place(
    members: dict[str, Any], paths: list[str]
) -> None:
    result = called("create-form", form(**members))
    assert error(result) == ("invalid-input", paths)
    assert result.shows == ()
