"""What a model writes into a form, for `create-form` and `suspend` (seed: create-form)."""

from typing import Annotated, Final, TypeAlias

from pydantic import Field, WithJsonSchema

from covel_host.tools.builtin.tool_input import ToolInput
from plugin_sdk.interactions import FieldType

Number: TypeAlias = Annotated[int | float, WithJsonSchema({"type": "number"})]
ACTION_KIND: Final = r"^(say|act|[a-z0-9][a-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*)$"
"""`say`, `act`, or `<pluginId>/<name>`: what kind of action an answer is."""

ActionKind: TypeAlias = Annotated[
    str,
    Field(
        pattern=ACTION_KIND,
        description="What kind of action the answer is: 'say', 'act' or '<pluginId>/<name>'.",
    ),
]


class OptionInput(ToolInput):
    """One option of a select field."""

    value: str
    label: str


class FieldInput(ToolInput):
    """One field; what its members mean for its type is checked by `check_form_fields`."""

    type: FieldType
    name: Annotated[str, Field(description="Unique in the form; the answer stands under it.")]
    label: Annotated[str, Field(description="What the player reads beside the field.")]
    placeholder: Annotated[
        str | None, Field(description="A hint in the empty field; never its value.")
    ] = None
    options: Annotated[list[OptionInput] | None, Field(description="For a select only.")] = None
    required: bool | None = None
    default_value: Annotated[
        str | bool | Number | None,
        Field(
            description="A number for a number, true or false for a checkbox, the value of an "
            "option for a select, text otherwise."
        ),
    ] = None
    min: Annotated[Number | None, Field(description="For a number only.")] = None
    max: Annotated[Number | None, Field(description="For a number only.")] = None
    step: Annotated[
        Number | None, Field(description="For a number only: above 0, counted from min or 0.")
    ] = None
