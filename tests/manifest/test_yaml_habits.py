"""Unquoted texts that other tools read differently are noted once, where they are written."""

import pytest

from covel_host.manifest.frontmatter import read_frontmatter
from covel_host.manifest.yaml_habits import habit_notes


def noted(fields: str, *, reported: tuple[tuple[str | int, ...], ...] = ()) -> list[str]:
    reading = read_frontmatter(f"---\n{fields}\n---\n", plugin="moss-ledger", file="PLUGIN.md")
    return [found.path for found in habit_notes(reading, reported=reported)]


@pytest.mark.parametrize(
    "written", ["no", "Yes", "ON", "off", "12:30", "1:30:00", "2026-01-02", "-1:30"]
)
@pytest.mark.parametrize("form", ["key: {}", "key: {} # c", "key:\n  {}", "l: {{ key: {} }}"])
def test_what_other_tools_read_differently_is_noted(written: str, form: str) -> None:
    assert len(noted(form.format(written))) == 1


@pytest.mark.parametrize(
    "fields",
    [
        'key: "no"',
        "key: 'on'",
        "key: none",
        "key: no herbs, and no moss",
        "on: a key",
        "key: 12:60 and more",
        "key: at 12:30",
        "key: |\n  no",
        "key: no\n  more",
        "key: true",
        "key: 1.10",
    ],
)
def test_other_texts_are_not(fields: str) -> None:
    assert noted(fields) == []


def test_items_of_lists_are_looked_at() -> None:
    assert noted("l:\n  - no\n  - x\nm: [yes,on]") == ["l.0", "m.0", "m.1"]


def test_what_is_reported_already_is_left_out() -> None:
    assert noted("a: no\nb: no", reported=(("a",),)) == ["b"]


def test_an_alias_is_noted_where_its_value_is_written() -> None:
    assert noted("a: &x { b: no }\nc: *x") == ["a.b"]


def test_only_the_default_of_a_setting_has_no_fix() -> None:
    text = "---\nkey: no\ndefault: no\n---\n"
    reading = read_frontmatter(text, plugin="moss-ledger", file="PLUGIN.md")
    fixes = {found.path: found.fix for found in habit_notes(reading, reported=())}
    assert fixes["default"] is None
    assert fixes["key"] is not None
