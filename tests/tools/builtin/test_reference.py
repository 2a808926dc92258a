"""What the authors' page says of builtin tools is what they do."""

import json

import pytest

from covel_host.tools.builtin.installed import BUILTIN_TOOLS, builtin_tools
from covel_host.tools.builtin.reference import documented_tools, reference_page
from covel_host.tools.builtin.reference_texts import TEXTS
from tests.support.events import events
from tests.support.tool_calls import ToolBench
from tests.support.worlds import TIDE, YSOLDE, world_of
from tests.tools.builtin.calling import called


def test_every_definition_is_documented() -> None:
    assert set(TEXTS) == set(documented_tools())
    page = reference_page("(generated)")
    assert all(f"\n## {name}\n" in page for name in TEXTS)


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_every_example_fits_its_definition(name: str) -> None:
    documented_tools()[name].parse(json.dumps(TEXTS[name].example))


@pytest.mark.parametrize("name", sorted({*BUILTIN_TOOLS} - {"delegate"}))
def test_every_example_of_an_installed_tool_succeeds(name: str) -> None:
    world = world_of([YSOLDE], dimensions={"tide": TIDE})
    known = builtin_tools(events=events(herb_found={"required": ["name"]}), world=world)
    result = called(name, TEXTS[name].example, ToolBench(builtins=known, world=world))
    assert result.error is None, result.envelope


def test_fields_inside_lists_are_listed_by_their_path() -> None:
    page = reference_page("(generated)")
    assert "| `fields[].name` | string | yes |" in page
    assert "| `limit` | integer, 1 to 20 |  |" in page
