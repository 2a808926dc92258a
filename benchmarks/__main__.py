"""`python -m benchmarks [--write] [NAME…]`: run benchmarks and print, or write, their tables.

Written by name, only their sections of RESULTS.md are replaced.
"""

import argparse
import importlib
import platform
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

NAMES = (
    "startup",
    "repair",
    "ranking",
    "memory",
    "world",
    "plan",
    "store",
    "validate",
    "hooks",
    "loading",
    "reload",
    "worlds",
    "tools",
    "gateway",
    "turns",
    "sessions",
    "jobs",
    "resume",
)
RESULTS = Path(__file__).parent / "RESULTS.md"
HEAD = """# Results

Written by `make bench` (`python -m benchmarks --write`). Times are medians of alternating runs on a
noisy machine: compare the ratios, not the milliseconds. A goal that is missed is marked.
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*NAMES, []], metavar="NAME")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    arguments = parser.parse_args()
    sections = []
    for name in arguments.names or NAMES:
        print(f"running {name} ...", file=sys.stderr)
        sections.append(importlib.import_module(f"benchmarks.{name}").report())
    text = "\n".join([HEAD, _machine(), *sections])
    if arguments.write:
        written = RESULTS.read_text(encoding="utf-8") if arguments.names else text
        RESULTS.write_text(replaced(written, sections), encoding="utf-8")
    print(text)


def replaced(text: str, sections: Sequence[str]) -> str:
    """`text` with `sections` in place of those with their titles; new ones stand at the end."""
    head, *kept = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    by_title = {section.splitlines()[0]: section for section in [*kept, *sections]}
    return "\n".join(part.rstrip("\n") + "\n" for part in (head, *by_title.values()))


def _machine() -> str:
    day = datetime.now(UTC).date().isoformat()
    return f"{day}, Python {platform.python_version()}, {platform.machine()}, 2 cores.\n"


if __name__ == "__main__":
    main()
