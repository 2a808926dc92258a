"""The table of variables names those that the host reads, and no others."""

import re
from pathlib import Path

from covel_host.cli import settings_reference
from covel_host.cli.settings_reference import VARIABLES

ROOT = Path(__file__).parent.parent.parent
SOURCES = [
    path
    for room in ("covel_host", "plugin_sdk")
    for path in sorted((ROOT / room).rglob("*.py"))
    if path != Path(settings_reference.__file__)
]


def test_the_table_holds_every_variable_of_the_source() -> None:
    read = {
        name
        for path in SOURCES
        for name in re.findall(r'"(COVEL_[A-Z_]+)"', path.read_text(encoding="utf-8"))
    }
    assert {one.name for one in VARIABLES} == read


def test_no_variable_stands_in_the_table_twice() -> None:
    assert len({one.name for one in VARIABLES}) == len(VARIABLES)
