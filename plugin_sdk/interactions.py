"""Interactions: what a tool or runtime asks the player, under the result member `interaction`.

The answer becomes one sentence of story by `narrative_template` (seed: 交互协议).
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue

from plugin_sdk.wire import WireModel

FieldType: TypeAlias = Literal["text", "textarea", "select", "checkbox", "number"]


class FormOption(WireModel):
    """One option of a select field."""

    value: str
    label: str


class FormField(WireModel):
    """One field of a form (seed: create-form).

    Numbers are finite, checkboxes booleans, all other values texts; `default_value` of a select is
    one of its options. `step` counts from `min`, or from 0.
    """

    type: FieldType
    name: Annotated[str, Field(min_length=1)]
    label: str
    placeholder: str | None = None
    options: list[FormOption] | None = None
    required: bool | None = None
    default_value: str | bool | int | float | None = None
    min: int | float | None = None
    max: int | float | None = None
    step: Annotated[int | float, Field(gt=0)] | None = None


class FormValidation(WireModel):
    """Names a form validator of the same plugin; `data` reaches the player's client."""

    name: Annotated[str, Field(min_length=1)]
    data: JsonValue = None


class SubmitBehavior(WireModel):
    """Whether the filled-in sentence is shown in the conversation."""

    echo_filled_narrative: bool | None = None


class FormInteraction(WireModel):
    """A form to fill in; the template holds `{{fieldName}}` placeholders."""

    type: Literal["form"] = "form"
    interaction_id: Annotated[str, Field(min_length=1)]
    title: str
    fields: list[FormField]
    submit_label: str
    narrative_template: str
    validation: FormValidation | None = None
    submit_behavior: SubmitBehavior | None = None
    notice: str | None = None
    action_kind: str | None = None


class Choice(WireModel):
    """One option the player may pick."""

    id: Annotated[str, Field(min_length=1)]
    label: str
    description: str | None = None
    category: str | None = None


class ChoiceInteraction(WireModel):
    """Two or more options; the template may hold `{{selectedId}}` and `{{selectedLabel}}`."""

    type: Literal["choice"] = "choice"
    interaction_id: Annotated[str, Field(min_length=1)]
    prompt: str
    choices: Annotated[list[Choice], Field(min_length=2)]
    narrative_template: str
    action_kind: str | None = None


class ConfirmationInteraction(WireModel):
    """A yes or no; the template may hold `{{confirmed}}`."""

    type: Literal["confirmation"] = "confirmation"
    interaction_id: Annotated[str, Field(min_length=1)]
    prompt: str
    narrative_template: str
    confirm_label: str | None = None
    cancel_label: str | None = None
    action_kind: str | None = None


Interaction: TypeAlias = Annotated[
    FormInteraction | ChoiceInteraction | ConfirmationInteraction, Field(discriminator="type")
]
"""Any interaction; `type` tells which."""
