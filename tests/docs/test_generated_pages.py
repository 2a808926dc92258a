"""The pages that come out of the code are the ones in `docs/`."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
spec = importlib.util.spec_from_file_location("generate_docs", ROOT / "scripts/generate_docs.py")
assert spec is not None
assert spec.loader is not None
generate_docs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generate_docs)


@pytest.mark.parametrize("name", sorted(generate_docs.PAGES))
def test_a_generated_page_has_not_drifted(name: str) -> None:
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == generate_docs.PAGES[name](), "run: python scripts/generate_docs.py"


def test_the_index_leads_to_every_page() -> None:
    docs = ROOT / "docs"
    pages = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")} - {"index.md"}
    text = (docs / "index.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\(([^)#:]+\.md)\)", text)) == pages


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))],
    ids=lambda page: page.name,
)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
