"""`forms.json`: form fields, `suspend`, submissions and narrative templates.

The vectors of `create-form` and `suspend` run through the rules and through the tools as well.
"""

import asyncio
import json
from typing import Any

from covel_host.tools.calls import ToolCallResult
from plugin_sdk.errors import ToolError
from plugin_sdk.rules.form_submission import normalize_submission
from plugin_sdk.rules.forms import check_form_fields
from plugin_sdk.rules.narrative import fill_narrative_template
from plugin_sdk.rules.suspend_fields import compile_resume_schema
from tests.support.tool_calls import ToolBench
from tests.vector_adapters.comparing import refusal_of, same_json


def check_create_form(vector: dict[str, Any]) -> None:
    result = called("create-form", {**FORM, "fields": vector["fields"]})
    assert code_of(result) == vector.get("error")
    if "error" in vector:
        error = refusal_of(lambda: check_form_fields(vector["fields"]), ToolError)
        assert error.code == vector["error"]
        return
    assert len(check_form_fields(vector["fields"])) == len(vector["fields"])
    [shown] = result.shows
    assert same_json(shown.payload()["interaction"]["fields"], vector["fields"])


def check_suspend(vector: dict[str, Any]) -> None:
    result = called("suspend", {"reason": vector["reason"], "fields": vector["fields"]})
    assert code_of(result) == vector.get("error")
    if "error" in vector:
        error = refusal_of(lambda: compile_resume_schema(vector["fields"]), ToolError)
        assert error.code == vector["error"]
        return
    schema = compile_resume_schema(vector["fields"])
    assert same_json(schema, vector["resume_schema"]), schema
    content: Any = result.content
    assert (content["_covelSuspend"], content["reason"]) == (True, vector["reason"])
    assert same_json(content["resumeSchema"], vector["resume_schema"]), content


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


FORM = {"formId": "f", "title": "t", "submitLabel": "s", "narrativeTemplate": "n"}


def called(name: str, arguments: dict[str, Any]) -> ToolCallResult:
    """What came of a call of the framework's own tool, made like a model's."""
    return asyncio.run(ToolBench().call(name, json.dumps(arguments)))


def code_of(result: ToolCallResult) -> str | None:
    return None if result.error is None else result.error.code


CHECKS = {
    "create_form": check_create_form,
    "suspend": check_suspend,
    "submit": check_submit,
    "narrative": check_narrative,
}
