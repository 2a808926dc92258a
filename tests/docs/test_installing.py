"""The page of refusals has every code, and the code every limit of the page."""

import re
from pathlib import Path

from covel_host.catalog.installation_refusals import REFUSALS

PAGE = Path(__file__).parent.parent.parent / "docs" / "installing.md"


def test_every_refusal_stands_on_the_page_and_no_other() -> None:
    section = PAGE.read_text(encoding="utf-8").split("## Refusals")[1].split("##")[0]
    rows = dict(re.findall(r"^\| `([a-z0-9-]+)` \| (.+) \|$", section, re.MULTILINE))
    assert rows == dict(REFUSALS)
