"""Interactions as tools give them to the player."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from plugin_sdk import (
    Choice,
    ChoiceInteraction,
    ConfirmationInteraction,
    FormField,
    FormInteraction,
    FormOption,
    FormValidation,
    Interaction,
)


def test_a_form_is_written_in_the_protocols_words() -> None:
    form = FormInteraction(
        interaction_id="form-1",
        title="Who are you?",
        fields=[
            FormField(type="text", name="name", label="Name", required=True),
            FormField(
                type="select",
                name="boat",
                label="Boat",
                options=[FormOption(value="skiff", label="Skiff")],
                default_value="skiff",
            ),
            FormField(type="checkbox", name="sworn", label="Sworn", default_value=False),
        ],
        submit_label="Begin",
        narrative_template="You are {{name}}.",
        validation=FormValidation(name="player-name"),
        notice="Once more.",
        action_kind="say",
    )
    assert form.model_dump(mode="json", by_alias=True) == {
        "type": "form",
        "interactionId": "form-1",
        "title": "Who are you?",
        "fields": [
            {"type": "text", "name": "name", "label": "Name", "required": True},
            {
                "type": "select",
                "name": "boat",
                "label": "Boat",
                "options": [{"value": "skiff", "label": "Skiff"}],
                "defaultValue": "skiff",
            },
            {"type": "checkbox", "name": "sworn", "label": "Sworn", "defaultValue": False},
        ],
        "submitLabel": "Begin",
        "narrativeTemplate": "You are {{name}}.",
        "validation": {"name": "player-name"},
        "notice": "Once more.",
        "actionKind": "say",
    }


INTERACTIONS = [
    ChoiceInteraction(
        interaction_id="c",
        prompt="Where to?",
        choices=[Choice(id="a", label="In"), Choice(id="b", label="Out", category="safe")],
        narrative_template="You go {{selectedLabel}}.",
    ),
    ConfirmationInteraction(
        interaction_id="y", prompt="Sure?", narrative_template="You said {{confirmed}}."
    ),
    FormInteraction(
        interaction_id="f", title="T", fields=[], submit_label="Go", narrative_template=""
    ),
]


@pytest.mark.parametrize("interaction", INTERACTIONS, ids=lambda one: one.type)
def test_the_type_tells_an_interaction_when_it_is_read(interaction: Any) -> None:
    adapter: TypeAdapter[Interaction] = TypeAdapter(Interaction)
    assert adapter.validate_json(interaction.model_dump_json(by_alias=True)) == interaction


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "number", "name": "", "label": "x"},
        {"type": "date", "name": "a", "label": "x"},
        {"type": "number", "name": "a", "label": "x", "step": 0},
        {"type": "text", "id": "a", "label": "x"},
        {"type": "text", "name": "a", "label": "x", "required": "yes"},
    ],
)
def test_fields_no_form_can_have_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        FormField.model_validate(wrong)


def test_a_choice_needs_two_options() -> None:
    with pytest.raises(ValidationError):
        ChoiceInteraction(
            interaction_id="c",
            prompt="x",
            choices=[Choice(id="a", label="In")],
            narrative_template="",
        )
