"""The pages of README and docs, and the blocks of code that stand in them."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FENCED = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Sample:
    """One block of code of a page; blocks in a list are indented, their text is not."""

    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def samples(page: Path) -> list[Sample]:
    """All blocks of code of a page, in order."""
    text = page.read_text("utf-8")
    return [
        Sample(
            page,
            text.count("\n", 0, found.start()) + 1,
            found[2],
            re.sub(rf"^{found[1]}", "", found[3], flags=re.MULTILINE),
        )
        for found in _FENCED.finditer(text)
    ]


SAMPLES = [sample for page in PAGES for sample in samples(page)]
