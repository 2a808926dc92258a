from collections.abc import Mapping

from plugin_sdk import FormContext, FormIssue, form_validator, hookimpl
from plugin_sdk.rules import translate


@form_validator("ten-points")
def ten_points(ctx: FormContext, values: Mapping[str, object], data: object) -> FormIssue | None:
    spent = values["strength"] + values["wit"]
    if spent <= data["points"]:
        return None
    return FormIssue(translate(ctx, "You have spent too many points."), field="wit")


@hookimpl
def register_form_validators():
    return [ten_points]
