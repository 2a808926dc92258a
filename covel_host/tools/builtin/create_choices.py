"""`create-choices`: options for the player to pick from (seed: create-choices)."""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field

from covel_host.tools.builtin.form_input import ActionKind
from covel_host.tools.builtin.tool_input import ToolInput
from plugin_sdk.errors import (
    FIX_FIELDS_HINT,
    FieldProblem,
    ToolValidationError,
    problems_message,
)
from plugin_sdk.results import with_model_view
from plugin_sdk.tools import tool

ANSWER: Final = "{{selectedLabel}}"
"""The sentence that a choice becomes: its label, in the words the player has read."""


class ChoiceInput(ToolInput):
    """One option."""

    id: Annotated[str, Field(min_length=1, description="Unique among the choices.")]
    label: Annotated[str, Field(description="What the player reads and says by choosing it.")]
    description: str | None = None
    category: Annotated[
        str | None, Field(description="Such as safe, aggressive, creative or wild.")
    ] = None


class ChoicesInput(ToolInput):
    """The options as a model writes them."""

    choice_id: Annotated[str, Field(min_length=1, description="The ID of this set of choices.")]
    prompt: Annotated[str, Field(description="The question, such as 'What do you do?'")]
    choices: Annotated[list[ChoiceInput], Field(min_length=2)]
    action_kind: ActionKind | None = None


@tool(
    name="create-choices",
    description=(
        "Offer the player two or more choices, at a decision, a branch of the story or an answer "
        "in a dialogue. They are shown when the turn ends, and the answer comes with the next "
        "turn. Later choices with the same ID in this run replace these; a failed call replaces "
        "nothing."
    ),
    parameters=ChoicesInput,
)
async def create_choices(offered: ChoicesInput) -> object:
    """The choices under `interaction`.

    Raises:
        ToolValidationError: two choices of one ID, so that an answer could not be told apart.
    """
    _refuse_repeated(offered.choices)
    given = offered.given()
    interaction = {
        "type": "choice",
        "interactionId": given.pop("choiceId"),
        **given,
        "narrativeTemplate": ANSWER,
    }
    return with_model_view(
        {"created": True, "interaction": interaction},
        summary=f'The choices "{offered.choice_id}" are shown to the player when this turn ends.',
    )


def _refuse_repeated(choices: Sequence[ChoiceInput]) -> None:
    ids = [choice.id for choice in choices]
    problems = [
        FieldProblem(f"choices.{index}.id", f"{choice_id!r} is the ID of another choice already.")
        for index, choice_id in enumerate(ids)
        if choice_id in ids[:index]
    ]
    if problems:
        raise ToolValidationError(
            problems_message(problems), hint=FIX_FIELDS_HINT, details=problems
        )
