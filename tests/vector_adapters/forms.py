"""`forms.json`: form fields, `suspend`, submissions and narrative templates."""

from typing import Any

from plugin_sdk.errors import ToolError
from plugin_sdk.rules.form_submission import normalize_submission
from plugin_sdk.rules.forms import check_form_fields
from plugin_sdk.rules.narrative import fill_narrative_template
from plugin_sdk.rules.suspend_fields import compile_resume_schema
from tests.vector_adapters.comparing import refusal_of, same_json


def check_create_form(vector: dict[str, Any]) -> None:
    if "error" in vector:
        error = refusal_of(lambda: check_form_fields(vector["fields"]), ToolError)
        assert error.code == vector["error"]
        return
    assert len(check_form_fields(vector["fields"])) == len(vector["fields"])


def check_suspend(vector: dict[str, Any]) -> None:
    if "error" in vector:
        error = refusal_of(lambda: compile_resume_schema(vector["fields"]), ToolError)
        assert error.code == vector["error"]
        return
    schema = compile_resume_schema(vector["fields"])
    assert same_json(schema, vector["resume_schema"]), schema


def check_submit(vector: dict[str, Any]) -> None:
    expect = vector["expect"]
    answer = normalize_submission(
        check_form_fields(vector["fields"]), vector["submitted"], locale=vector.get("locale", "en")
    )
    assert bool(answer.unknown_fields) is bool(expect.get("unknown_field", False))
    assert {issue.field for issue in answer.issues} == set(expect.get("issues", ()))
    refused = bool(expect.get("issues")) or bool(expect.get("unknown_field"))
    assert answer.is_accepted is not refused
    for name, value in expect.get("values", {}).items():
        assert name in answer.values, answer.values
        assert same_json(answer.values[name], value), answer.values
    for name in expect.get("empty", ()):
        assert answer.values.get(name) in (None, ""), answer.values


def check_narrative(vector: dict[str, Any]) -> None:
    assert fill_narrative_template(vector["template"], vector["values"]) == vector["text"]


CHECKS = {
    "create_form": check_create_form,
    "suspend": check_suspend,
    "submit": check_submit,
    "narrative": check_narrative,
}
