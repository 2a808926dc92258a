"""Every rule at its boundaries (`cases/*.yaml`), and rules that meet."""

from pathlib import Path

import pytest

from covel_host.manifest.validation import validate_folder
from plugin_sdk.names import FRAMEWORK_TOOL_NAMES
from tests.manifest.rules.siblings import Case, check, load_cases, make, params

CASES = load_cases()


@pytest.mark.parametrize(("case", "form"), params(CASES))
def test_a_package_has_exactly_the_problems_of_its_case(
    case: Case, form: str, tmp_path: Path
) -> None:
    check(case, form, tmp_path)


def test_cases_have_names_of_their_own() -> None:
    assert len({case.id for case in CASES}) == len(CASES)


@pytest.mark.parametrize("form", ["inline", "file"])
def test_several_rules_at_once_are_all_reported(form: str, tmp_path: Path) -> None:
    runtime = """\
schedule: { stage: narrative, detached: { maxSettleWaitMs: 5 }, needs: [{ contract: x@1 }] }
io: { visibility: story, concealed: true, output: { recordAs: x, contract: y@1 } }
agent:
  loop: { maxSteps: 0 }
  tools: { builtin: [suspend, search-tools, paint], plugin: [brush] }
  completion: { require: explicit }
"""
    expect = [
        "schedule.stage detached-stage",
        "schedule.detached.maxSettleWaitMs settle-missing",
        "schedule.needs.0 contract-not-listed",
        "io.visibility detached-story",
        "io.concealed concealed-story",
        "io.output.schema export-without-schema",
        "io.output.contract contract-not-provided",
        "agent.loop.maxSteps number-out-of-range",
        "agent.tools.builtin.0 suspend-unattended",
        "agent.tools.builtin search-tools-by-hand",
        "agent.tools.builtin.2 builtin-tool-unknown",
        "agent.tools.plugin.0 tool-undeclared",
        "agent.completion.require explicit-completion-not-allowed",
    ]
    check(Case("several", "6.2", runtime, expect=expect), form, tmp_path)


@pytest.mark.parametrize("name", FRAMEWORK_TOOL_NAMES)
def test_every_framework_tool_but_one_can_be_listed(name: str, tmp_path: Path) -> None:
    runtime = f"schedule: {{ stage: audit }}\nagent: {{ tools: {{ builtin: [{name}] }} }}\n"
    expect = ["agent.tools.builtin search-tools-by-hand"] if name == "search-tools" else []
    check(Case(name, "6.3.6", runtime, expect=expect), "inline", tmp_path)


def test_the_second_of_two_names_points_to_the_first(tmp_path: Path) -> None:
    case = Case("x", "", root="contributes:\n  tools:\n    - a\n    - a\n")
    (found,) = (
        found
        for found in validate_folder(make(case, "root", tmp_path)).diagnostics
        if found.name == "duplicate-item"
    )
    assert [(place.message, place.span and place.span.line) for place in found.related] == [
        ("first written here", 5)
    ]
