"""The table of codes is complete, stable and usable by code and by name."""

import re

import pytest

from covel_host.diagnostics.code_table import ALL_CODES
from covel_host.diagnostics.code_table_files import FILES, YAML
from covel_host.diagnostics.code_table_loading import LOADING
from covel_host.diagnostics.code_table_manifests import LAYOUT, REFERENCES, SHAPE
from covel_host.diagnostics.code_table_packages import CONTRIBUTION_RULES, FILE_RULES
from covel_host.diagnostics.code_table_runtimes import REFERENCE_RULES, RUNTIME_RULES
from covel_host.diagnostics.code_table_texts import TEXT_RULES
from covel_host.diagnostics.codes import code_info, report
from covel_host.diagnostics.diagnostic import Span, any_blocks_loading, dotted, fails, in_order

# Names that the specs fix (spec/decisions.md, "Field paths and the validator's JSON" and 3).
FIXED_NAMES = (
    "entry-not-found",
    "entry-import-failed",
    "entry-timeout",
    "unknown-hook",
    "registration-undeclared",
    "registration-missing",
    "registration-duplicate",
    "registration-reserved",
    "registration-invalid",
    "not-supported-yet",
    "not-served-yet",
    "invalid-conflict",
    "duplicate-package",
)


def test_codes_and_names_are_unique_and_well_formed() -> None:
    assert len({info.code for info in ALL_CODES}) == len(ALL_CODES)
    assert len({info.name for info in ALL_CODES}) == len(ALL_CODES)
    for info in ALL_CODES:
        assert re.fullmatch(r"COV[0-9]{3}", info.code)
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", info.name)
        assert info.documentation.endswith(".")


@pytest.mark.parametrize(
    ("family", "digit"),
    [
        (FILES, "0"),
        (YAML, "0"),
        (SHAPE, "1"),
        (REFERENCES, "2"),
        (FILE_RULES, "2"),
        (RUNTIME_RULES, "2"),
        (REFERENCE_RULES, "2"),
        (CONTRIBUTION_RULES, "2"),
        (TEXT_RULES, "2"),
        (LAYOUT, "3"),
        (LOADING, "4"),
    ],
)
def test_a_family_shares_its_first_digit(family: tuple, digit: str) -> None:
    assert {info.code[3] for info in family} == {digit}


@pytest.mark.parametrize("name", FIXED_NAMES)
def test_names_fixed_by_the_specs_are_in_the_table(name: str) -> None:
    assert code_info(name) is not None


def test_an_entry_is_found_by_code_and_by_name() -> None:
    by_name = code_info("yaml-unquoted-colon")
    assert by_name is not None
    assert code_info("cov021") is by_name
    assert code_info("COV999") is None


def test_a_report_takes_its_effect_from_the_table() -> None:
    error = report("unknown-field", "x", plugin="p", file="PLUGIN.md", span=Span(2, 3, 2, 5))
    note = report("not-served-yet", "x", plugin="p")
    assert (error.code, error.severity, error.blocks_loading) == ("COV101", "error", True)
    assert (error.line, error.column, error.end_line, error.end_column) == (2, 3, 2, 5)
    assert (note.severity, note.blocks_loading, note.span) == ("info", False, None)
    assert any_blocks_loading([note, error])
    assert not any_blocks_loading([note])


def test_warnings_fail_a_strict_check_only() -> None:
    note, warning = (
        report("not-served-yet", "x", plugin="p"),
        report("dangling-link", "x", plugin="p"),
    )
    error = report("unknown-field", "x", plugin="p")
    assert not fails([note, warning])
    assert not fails([note], strict=True)
    assert fails([warning], strict=True)
    assert fails([error])


def test_a_kind_outside_the_table_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        report("no-such-kind", "x", plugin="p")


def test_problems_are_ordered_by_package_file_and_place() -> None:
    late = report("unknown-field", "x", plugin="a", file="PLUGIN.md", span=Span(9, 1, 9, 2))
    early = report("unknown-field", "x", plugin="a", file="PLUGIN.md", span=Span(2, 1, 2, 2))
    whole = report("root-manifest-missing", "x", plugin="a")
    other = report("unknown-field", "x", plugin="b", file="PLUGIN.md")
    assert in_order([other, late, early, whole]) == (whole, early, late, other)


def test_paths_are_dotted_with_list_items_by_number() -> None:
    assert dotted(("contributes", "commands", 2, "name")) == "contributes.commands.2.name"
    assert dotted(()) == ""
