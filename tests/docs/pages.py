"""The pages of README and docs, and the blocks of code that stand in them."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(
    r"(?:^<!-- (\w+): (\S+) -->\n)?^( *)```(\w*)[^\n]*\n(.*?)^\3```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Sample:
    """One block of code of a page; blocks in a list are indented, their text is not.

    `mark` and `path` are what a comment above it says, such as `example: dice-cup/PLUGIN.md`;
    `before` is the text between the block before and this one.
    """

    page: Path
    line: int
    language: str
    text: str
    mark: str
    path: str
    before: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def samples(page: Path) -> list[Sample]:
    """All blocks of code of a page, in order."""
    text = page.read_text("utf-8")
    found, place = [], 0
    for block in _BLOCK.finditer(text):
        mark, path, indent, language, content = block.groups()
        line = text.count("\n", 0, block.start(4)) + 1
        plain = re.sub(rf"^{indent}", "", content, flags=re.MULTILINE)
        before = text[place : block.start()]
        found.append(Sample(page, line, language, plain, mark or "", path or "", before))
        place = block.end()
    return found


SAMPLES = [sample for page in PAGES for sample in samples(page)]
