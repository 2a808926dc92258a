"""What the definition of `emit-event` shows in a session (seed: emit-event)."""

from typing import Any

from covel_host.tools.event_offer import has_references, offered_parameters
from tests.support.events import events

HERB = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://example.org/herb",
    "type": "object",
    "properties": {"name": {"type": "string", "pattern": r"^\p{L}+$"}},
}
LINKED = {"type": "object", "properties": {"to": {"$ref": "#/$defs/to"}}, "$defs": {"to": {}}}


def data_of(**schemas: Any) -> dict[str, Any]:
    data: dict[str, Any] = offered_parameters(events(**schemas).advertised)["properties"]["data"]
    return {key: value for key, value in data.items() if key != "description"}


def topic_of(**schemas: Any) -> Any:
    return offered_parameters(events(**schemas).advertised)["properties"]["topic"].get("enum")


def test_topics_are_listed_in_order() -> None:
    assert topic_of(herb_found=HERB, bell_rung={}) == ["bell.rung", "herb.found"]
    assert topic_of() is None


def test_one_topic_shows_its_own_schema_as_a_model_may_read_it() -> None:
    assert data_of(herb_found={**HERB, "properties": {"name": {"type": "string"}}}) == {
        "type": "object",
        "properties": {"name": {"type": "string"}},
    }


def test_several_topics_are_branches_named_by_topic() -> None:
    assert data_of(
        herb_found={"type": "object"}, bell_rung={"type": "object", "title": "Bell"}
    ) == {
        "anyOf": [
            {"type": "object", "title": "bell.rung"},
            {"type": "object", "title": "herb.found"},
        ]
    }


def test_a_schema_with_references_or_without_members_is_a_plain_object() -> None:
    assert data_of(herb_found=LINKED) == {"type": "object"}
    assert data_of(herb_found=True) == {"type": "object"}
    assert data_of() == {"type": "object"}


def test_references_are_found_at_any_depth() -> None:
    assert has_references({"items": [{"not": {"$ref": "#"}}]})
    assert not has_references({"properties": {"ref": {"type": "string"}}})
