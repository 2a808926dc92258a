"""Forms: fields, submissions, suspend, narrative templates (vectors: forms.json)."""

import contextlib
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugin_sdk.errors import ToolValidationError
from plugin_sdk.rules.form_submission import normalize_submission
from plugin_sdk.rules.forms import check_form_fields
from plugin_sdk.rules.narrative import fill_narrative_template
from plugin_sdk.rules.suspend_fields import compile_resume_schema


def field(kind: str, name: str = "f", **members: Any) -> dict[str, Any]:
    return {"type": kind, "name": name, "label": name.title(), **members}


def submit(fields: list[Any], submitted: Any, locale: str = "en") -> Any:
    return normalize_submission(check_form_fields(fields), submitted, locale=locale)


# Fields


@pytest.mark.parametrize(
    ("bad", "path"),
    [
        ("text", "fields.0"),
        (field("text", label=None), "fields.0.label"),
        (field("text", required="yes"), "fields.0.required"),
        (field("text", placeholder=1), "fields.0.placeholder"),
        (field("number", min="1"), "fields.0.min"),
        (field("number", max=True), "fields.0.max"),
        (field("number", min=3, max=1), "fields.0.min"),
        (field("number", max=8, defaultValue=9), "fields.0.defaultValue"),
        (field("number", step=2, defaultValue=3), "fields.0.defaultValue"),
        (field("number", defaultValue=float("inf")), "fields.0.defaultValue"),
        (field("select"), "fields.0.options"),
        (field("select", options=["skiff"]), "fields.0.options.0"),
        (field("select", options=[{"label": "Skiff"}]), "fields.0.options.0"),
        (field("select", options=[{"value": "a"}], defaultValue=1), "fields.0.defaultValue"),
    ],
)
def test_a_wrong_field_is_named_by_its_place(bad: Any, path: str) -> None:
    with pytest.raises(ToolValidationError) as caught:
        check_form_fields([bad])
    assert [problem.path for problem in caught.value.details] == [path]


def test_every_wrong_field_is_reported() -> None:
    with pytest.raises(ToolValidationError) as caught:
        check_form_fields([field("date", "a"), field("text", "b"), field("checkbox", "b")])
    assert [problem.path for problem in caught.value.details] == ["fields.0.type", "fields.2.name"]


@pytest.mark.parametrize("fields", [None, {}, "x"])
def test_fields_are_a_list(fields: Any) -> None:
    with pytest.raises(ToolValidationError):
        check_form_fields(fields)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=6),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["type", "name", "label", "options", "defaultValue", "min"]),
                inner | st.sampled_from(["text", "select", "number"]),
                max_size=6,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_a_list_of_fields_or_a_validation_error(value: Any) -> None:
    with contextlib.suppress(ToolValidationError):
        check_form_fields(value)


# Submissions

SELECT = field("select", "boat", options=[{"value": "skiff"}, {"value": "barge"}])


@pytest.mark.parametrize(
    ("text", "number"),
    [("6", 6), (" 6 ", 6), ("6.0", 6), ("-.5", -0.5), ("1e2", 100), ("+7", 7), ("2.5", 2.5)],
)
def test_numeric_text_becomes_a_number(text: str, number: float) -> None:
    stored = submit([field("number")], {"f": text}).values["f"]
    assert stored == number
    assert isinstance(stored, type(number))


@pytest.mark.parametrize("value", ["0x10", "1,5", "６", "NaN", "1e999", "--1", [], {}, True])
def test_anything_else_is_no_number(value: Any) -> None:
    [issue] = submit([field("number")], {"f": value}).issues
    assert issue.message == "“F” must be a number."


@pytest.mark.parametrize("value", [0.1 + 0.2, 0.7, "0.3"])
def test_steps_are_counted_on_decimals(value: Any) -> None:
    assert submit([field("number", step=0.1)], {"f": value}).is_accepted


def test_a_null_is_no_answer() -> None:
    fields = [
        field("text", "nick", defaultValue="Wren"),
        field("checkbox", "oath", required=True, defaultValue=False),
        field("number", "oars", defaultValue=4),
    ]
    answer = submit(fields, {"nick": None, "oath": None, "oars": None})
    assert answer.values == {"nick": "Wren", "oath": False, "oars": None}


def test_blanks_do_not_fill_a_required_text() -> None:
    assert submit([field("text", required=True)], {"f": "   "}).issues
    assert submit([field("text")], {"f": "   "}).values == {"f": "   "}


def test_an_optional_choice_may_be_left_empty() -> None:
    assert submit([SELECT], {"boat": ""}).values == {"boat": ""}
    assert submit([SELECT], {}).values == {}
    assert submit([SELECT], {"boat": 1}).issues


def test_an_empty_option_can_be_chosen() -> None:
    fields = [field("select", options=[{"value": ""}, {"value": "a"}], defaultValue="a")]
    assert submit(fields, {"f": ""}).values == {"f": ""}


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("en-GB", "“年龄” must be at least 2."),
        ("fr", "“年龄” must be at least 2."),
        ("zh-CN", "“年龄”不能小于 2。"),
        ("zh_Hans", "“年龄”不能小于 2。"),
        ("zh-Hant-TW", "「年龄」不能小於 2。"),
        ("ru-RU", "Значение поля «年龄» должно быть не меньше 2."),
    ],
)
def test_an_issue_is_told_in_the_sessions_language_with_the_label(locale: str, text: str) -> None:
    fields = [{"type": "number", "name": "age", "label": "年龄", "min": 2}]
    [issue] = submit(fields, {"age": 1}, locale).issues
    assert (issue.field, issue.message) == ("age", text)


def test_a_label_with_braces_is_shown_as_it_is() -> None:
    fields = [{"type": "text", "name": "a", "label": "{max}", "required": True}]
    assert submit(fields, {}).issues[0].message == "“{max}” must be filled in."


FORM = [
    field("text", "nick", defaultValue="Wren", required=True),
    field("textarea", "tale"),
    SELECT,
    field("checkbox", "oath", defaultValue=True),
    field("number", "oars", min=1, step=2, defaultValue=3),
    field("number", "share"),
]


@given(
    st.dictionaries(
        st.sampled_from(["nick", "tale", "boat", "oath", "oars", "share"]),
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.sampled_from(["", " ", "3", "5.0", "1e400", "skiff", "raft"]),
    )
)
def test_normalising_twice_equals_once(submitted: Any) -> None:
    once = submit(FORM, submitted)
    twice = submit(FORM, once.values)
    if once.is_accepted:
        assert twice.values == once.values
        assert twice.is_accepted


@given(st.dictionaries(st.sampled_from(["nick", "boat", "oath"]), st.text() | st.booleans()))
def test_an_accepted_answer_fits_the_resume_schema_of_the_same_fields(submitted: Any) -> None:
    fields = [field("text", "nick", required=True), SELECT | {"required": True}]
    fields.append(field("checkbox", "oath"))
    answer = submit(fields, submitted)
    if answer.is_accepted:
        jsonschema_rs.validator_for(compile_resume_schema(fields)).validate(answer.values)


def test_an_unknown_field_is_a_bad_request_and_no_rejected_form() -> None:
    answer = submit([field("text", "nick", required=True)], {"hp": 9})
    assert not answer.is_accepted
    assert (answer.values, answer.issues, answer.unknown_fields) == ({}, (), ("hp",))


# Narrative


@pytest.mark.parametrize(
    ("template", "values", "text"),
    [
        ("{{ 姓名 }}来了。", {"姓名": "林清风"}, "林清风来了。"),
        ("{{a}}。", {"a": "好。"}, "好。"),
        ("{{a}}...", {"a": "Well."}, "Well..."),
        ("{{a}}{{b}}.", {"a": "x.", "b": 4.0}, "x.4."),
        ("{{ok}}", {"ok": True}, "true"),
        ("{a} {{}} }}{{", {"a": 1}, "{a}  }}{{"),
    ],
)
def test_templates(template: str, values: Any, text: str) -> None:
    assert fill_narrative_template(template, values) == text


@given(st.text(alphabet="{}a .。", max_size=30))
def test_a_template_without_placeholders_stays_as_it_is(template: str) -> None:
    if "{{" not in template:
        assert fill_narrative_template(template, {"a": "."}) == template
