"""One finding of `covel doctor`, and the findings as text and JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from covel_host.cli.output import counted

CheckState: TypeAlias = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, how it is, and what to do; `advice` is empty when nothing is."""

    subject: str
    state: CheckState
    message: str
    advice: str = ""


def checks_json(checks: Sequence[Check]) -> dict[str, object]:
    """`{checks: [{subject, state, message, advice?}], summary: {ok, warnings, problems}}`."""
    return {
        "checks": [
            {
                "subject": check.subject,
                "state": check.state,
                "message": check.message,
                **({"advice": check.advice} if check.advice else {}),
            }
            for check in checks
        ],
        "summary": {
            "ok": _count(checks, "ok"),
            "warnings": _count(checks, "warning"),
            "problems": _count(checks, "problem"),
        },
    }


def checks_text(checks: Sequence[Check]) -> str:
    """One line per check, advice below it, the counts at the end."""
    width = max(len(check.subject) for check in checks)
    lines = []
    for check in checks:
        lines.append(f"{check.state:7}  {check.subject.ljust(width)}  {check.message}\n")
        if check.advice:
            lines.append(f"{'':7}  {'':{width}}  {check.advice}\n")
    warnings, problems = _count(checks, "warning"), _count(checks, "problem")
    return "".join(lines) + f"\n{counted(problems, 'problem')}, {counted(warnings, 'warning')}.\n"


def _count(checks: Sequence[Check], state: CheckState) -> int:
    return sum(check.state == state for check in checks)
