"""`docs/validation.md` tells every rule with its code and its tests, and every rule has some."""

import functools
import json
import os
import re
from pathlib import Path
from typing import Any

from covel_host.diagnostics.codes import CODES_BY_NAME
from covel_host.manifest.rules.catalogue import (
    FILE_RULES,
    LOADING_RULES,
    READ_RULES,
    TEXT_RULES,
)
from covel_host.manifest.rules.rule import Rule
from tests.manifest.rules.siblings import load_cases

REPOSITORY = Path(__file__).parents[3]
PAGE = REPOSITORY / "docs" / "validation.md"
VECTORS = REPOSITORY / "tests" / "cases" / "manifests"
# `UPDATE_DOCS=1 pytest …` rewrites the tables; the diff is then reviewed.
UPDATE = os.environ.get("UPDATE_DOCS") == "1"
# Rules on several runtimes have tests of their own, in `test_across_runtimes.py`.
ELSEWHERE = {
    "contract-produced-twice": "test_later_producers_of_a_contract_are_told_the_first",
    "runtime-cycle": "test_a_circle_is_reported_once_with_its_way",
}


@functools.cache
def expectations() -> dict[str, Any]:
    """What each conformance package expects, by its name."""
    return {
        folder.name: json.loads((folder / "expect.json").read_text(encoding="utf-8"))
        for folder in sorted(VECTORS.iterdir())
    }


sibling_cases = functools.cache(load_cases)


def vectors_of(stated: str) -> list[str]:
    """The conformance packages whose `why` names the rule by its number."""
    found = []
    for name, expected in expectations().items():
        chapter, _, number = stated.rpartition(".")
        number = rf"(rule |rules (\d+ and )?){number}\b"
        numbered = re.search(rf"{re.escape(chapter)} {number}", expected["why"])
        if numbered and stated.count(".") == 2 and not expected["valid"]:
            found.append(name)
    return found


def siblings_of(stated: str, names: tuple[str, ...]) -> list[str]:
    """The sibling cases of the rule that expect one of its names, or that it just spares."""
    return [
        case.id
        for case in sibling_cases()
        if case.rule == stated
        and (not case.expect or any(one.rpartition(" ")[2] in names for one in case.expect))
    ]


def row(stated: str, says: str, names: tuple[str, ...]) -> str:
    codes = ", ".join(f"{CODES_BY_NAME[name].code} `{name}`" for name in names)
    tests = [f"`{test}`" for test in (*vectors_of(stated), *siblings_of(stated, names))]
    tests += [f"`{ELSEWHERE[name]}`" for name in names if name in ELSEWHERE]
    assert tests, (stated, says)
    return f"| {stated} | {says} | {codes} | {', '.join(tests)} |"


def table(rules: tuple[Rule[Any], ...]) -> list[str]:
    return [row(rule.stated, rule.says, (rule.info.name,)) for rule in rules]


def page() -> str:
    text = PAGE.read_text(encoding="utf-8")
    tables = {
        "read": [row(rule.stated, rule.says, rule.names) for rule in READ_RULES],
        "loading": table(LOADING_RULES),
        "files": table(FILE_RULES),
        "texts": table(TEXT_RULES),
    }
    head = ["| Stated | Rule | Code | Tests |", "| --- | --- | --- | --- |"]
    for name, rows in tables.items():
        inside = "\n".join([*head, *rows])
        text, count = re.subn(
            rf"(<!-- {name} -->\n\n).*?(<!-- end -->)",
            lambda found, inside=inside: f"{found[1]}{inside}\n\n{found[2]}",
            text,
            flags=re.DOTALL,
        )
        assert count == 1, name
    return text


def test_the_page_tells_every_rule_with_its_code_and_its_tests() -> None:
    wanted = page()
    if UPDATE:
        PAGE.write_text(wanted, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == wanted


def test_every_numbered_rule_of_the_catalogue_is_there() -> None:
    stated = {rule.stated for rule in (*LOADING_RULES, *FILE_RULES, *TEXT_RULES)}
    stated |= {rule.stated for rule in READ_RULES}
    numbers = {"6.1": 13, "6.2": 23, "6.3": 13}
    wanted = {f"{chapter}.{n + 1}" for chapter, count in numbers.items() for n in range(count)}
    assert wanted | {"6.4", "6.5", "6.6"} <= stated


def test_every_conformance_package_belongs_to_a_rule_or_to_the_form_of_a_field() -> None:
    whys = [expected["why"] for expected in expectations().values()]
    assert all(re.match(r"valid|manifest\.md \d|decisions\.md|i18n\.md", why) for why in whys)
