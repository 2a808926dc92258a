"""Finding deferred tools by keywords (seed: search-tools)."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from covel_host.tools.tool_search import SearchTools, search_text
from plugin_sdk.errors import ToolValidationError
from plugin_sdk.results import get_model_view
from plugin_sdk.tools import Tool, tool
from tests.support.work import calls_of


def made(name: str, description: str = "Does something else.") -> Tool[..., Any]:
    @tool(name=name, description=description)
    async def function(target: Annotated[str, Field(description="Whom to reach.")] = "") -> object:
        return None

    return function


POOL = [
    made("switch-scene", "切换场景背景。 Change the background picture."),
    made("play_music", "播放音乐"),
    made("weigh-anchor", "Set sail.\n\nOnly at high tide."),
    *(made(f"filler-{number}") for number in range(10)),
]


def search(query: str, limit: int = 8, pool: Any = POOL) -> tuple[list[str], SearchTools, str]:
    found = SearchTools(pool, plugin_id="stage")
    view = get_model_view(found.found({"query": query, "limit": limit}))
    assert view is not None
    assert not view.has_data
    assert view.summary is not None
    return [spec.name for spec in found.loaded], found, view.summary


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("切换场景背景", "switch-scene"),
        ("background", "switch-scene"),
        ("音乐", "play_music"),
        ("music", "play_music"),
        ("anchor", "weigh-anchor"),
        ("high tide", "weigh-anchor"),
    ],
)
def test_names_and_descriptions_are_found_in_either_language(query: str, first: str) -> None:
    loaded, _, summary = search(query)
    assert loaded[0] == first
    assert f"- {first}: " in summary


def test_the_summary_holds_first_paragraphs_only() -> None:
    assert search("anchor")[2].endswith("- weigh-anchor: Set sail.")


def test_names_and_descriptions_of_parameters_count_at_any_depth() -> None:
    class Place(BaseModel):
        """A place."""

        harborName: Annotated[str, Field(description="Where the lighthouse stands.")] = ""

    class Voyage(BaseModel):
        stops: list[Place] = Field(default_factory=list)

    @tool(name="plan", description="Plan.")
    async def plan(voyage: Voyage | None = None) -> object:
        return None

    for query in ("lighthouse", "harbor", "stops", "voyage"):
        assert search(query, pool=[*POOL, plan])[0] == ["plan"], query
    assert "harborName" in search_text(plan)


def test_at_most_limit_tools_are_loaded_and_they_stay_in_the_order_of_finding() -> None:
    loaded, found, _ = search("something else", limit=3)
    assert len(loaded) == 3
    found.found({"query": "music", "limit": 8})
    found.found({"query": "something else", "limit": 3})
    assert [spec.name for spec in found.loaded] == [*loaded, "play_music"]


def test_nothing_found_is_said_and_loads_nothing() -> None:
    loaded, _, summary = search("volcano")
    assert loaded == []
    assert summary.startswith('No tool fits "volcano".')
    _, _, long = search("volcano " * 1_000)
    assert len(long) < 300


def test_the_description_tells_how_many_tools_there_are_and_whose() -> None:
    description = SearchTools(POOL, plugin_id="stage").description
    assert "13 tools of the plugin 'stage'" in description


@pytest.mark.parametrize(
    "text", ["{}", '{"query": ""}', '{"query": "a", "limit": 21}', '{"query": "a", "limit": 0}']
)
def test_arguments_beyond_their_limits_are_refused(text: str) -> None:
    with pytest.raises(ToolValidationError):
        SearchTools(POOL, plugin_id="stage").parse(text)


def test_the_default_limit_is_eight() -> None:
    assert SearchTools(POOL, plugin_id="stage").parse('{"query": "a"}')["limit"] == 8


def test_five_hundred_tools_are_read_once_and_not_again_by_every_search() -> None:
    words = ("harbor", "tide", "lantern", "rope", "anchor", "ledger", "market", "storm", "gull")
    pool = [
        made(f"tool-{number}", f"Work with the {words[number % 9]} of dock {number}. " * 3)
        for number in range(500)
    ]

    def search() -> None:
        in_a_run = SearchTools(pool, plugin_id="stage")
        in_a_run.found({"query": "the rope at the dock", "limit": 8})

    first, again = calls_of(search), calls_of(search)
    assert again < first / 2, (first, again)
