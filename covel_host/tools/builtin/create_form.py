"""`create-form`: a form for the player to fill in (seed: create-form)."""

from typing import Annotated

from pydantic import Field, JsonValue

from covel_host.tools.builtin.form_input import ActionKind, FieldInput
from covel_host.tools.builtin.tool_input import ToolInput
from plugin_sdk.results import with_model_view
from plugin_sdk.rules.forms import check_form_fields
from plugin_sdk.tools import tool


class ValidationInput(ToolInput):
    """A validator of the package."""

    name: Annotated[str, Field(min_length=1, description="A form validator of your own package.")]
    data: Annotated[
        JsonValue, Field(description="Reaches the player's client: put no secret in it.")
    ] = None


class SubmitBehaviorInput(ToolInput):
    """What happens with the filled-in sentence."""

    echo_filled_narrative: bool | None = None


class FormInput(ToolInput):
    """The form as a model writes it."""

    form_id: Annotated[str, Field(min_length=1, description="The form's own ID.")]
    title: str
    fields: list[FieldInput]
    submit_label: Annotated[str, Field(description="The text of the button.")]
    narrative_template: Annotated[
        str, Field(description="The sentence the answer becomes, with {{fieldName}} in it.")
    ]
    validation: ValidationInput | None = None
    submit_behavior: SubmitBehaviorInput | None = None
    notice: Annotated[
        str | None,
        Field(
            description="Shown above the fields: why this form appears again. None the first time."
        ),
    ] = None
    action_kind: ActionKind | None = None


@tool(
    name="create-form",
    description=(
        "Ask the player to fill in a form. It is shown when the turn ends, and the answer comes "
        "with the next turn. A later form or choice with the same ID in this run replaces this "
        "one; a failed call replaces nothing."
    ),
    parameters=FormInput,
)
async def create_form(form: FormInput) -> object:
    """The form under `interaction`.

    Raises:
        ToolValidationError: a field that no answer could satisfy; `details` names each problem.
    """
    given = form.given()
    fields = [field.given() for field in form.fields]
    check_form_fields(fields)
    interaction = {"type": "form", "interactionId": given.pop("formId"), **given}
    return with_model_view(
        {"created": True, "interaction": interaction},
        summary=f'The form "{form.form_id}" is shown to the player when this turn ends.',
    )
