"""Results of tests as JSON, read from the JUnit report that pytest wrote."""

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

_KINDS = {"failure": "failed", "error": "error", "skipped": "skipped"}


def results_json(report: Path, plugin_id: str, *, exit_code: int) -> dict[str, object]:
    """`{pluginId, status, summary: {passed, failed, error, skipped}, tests: [...]}`.

    A test has `name`, `outcome`, `durationMs`, and where there is one its `message` and `details`.
    Without a report (pytest was ended, or called with wrong arguments) `tests` is empty.
    """
    tests = _tests(report)
    counts = Counter(str(test["outcome"]) for test in tests)
    return {
        "pluginId": plugin_id,
        "status": "passed" if exit_code == 0 else "failed",
        "summary": {kind: counts[kind] for kind in ("passed", "failed", "error", "skipped")},
        "tests": tests,
    }


def _tests(report: Path) -> list[dict[str, object]]:
    try:
        # Written by pytest a moment ago, not by a stranger.
        root = ElementTree.parse(report).getroot()
    except (OSError, ElementTree.ParseError):
        return []
    return [_test(found) for found in root.iter("testcase")]


def _test(found: ElementTree.Element) -> dict[str, object]:
    test: dict[str, object] = {
        "name": _name(found),
        "outcome": "passed",
        "durationMs": round(float(found.get("time", "0")) * 1000),
    }
    for child in found:
        if child.tag in _KINDS:
            test["outcome"] = _KINDS[child.tag]
            test["message"] = child.get("message", "")
            if child.text and child.tag != "skipped":
                test["details"] = child.text
    return test


def _name(found: ElementTree.Element) -> str:
    place = found.get("file") or found.get("classname") or ""
    return "::".join(part for part in (place, found.get("name", "")) if part)
