"""The closed list of events: every name has its facts and its members, and is sent as it says."""

import re
from pathlib import Path

import pytest

import covel_host
from covel_host.trace.event_payloads import EVENT_PAYLOADS
from covel_host.trace.event_types import EVENT_TYPES, checked_type

SOURCES = Path(covel_host.__file__).parent
TABLES = {"event_types.py", "event_payloads.py", "reference.py"}


def test_every_name_has_members_and_none_has_members_alone() -> None:
    assert set(EVENT_TYPES) == set(EVENT_PAYLOADS)


@pytest.mark.parametrize("name", EVENT_PAYLOADS)
def test_the_members_of_every_event_can_be_described(name: str) -> None:
    model = EVENT_PAYLOADS[name]
    schema = model.model_json_schema(by_alias=True)
    assert schema["additionalProperties"] is False
    assert model.__doc__
    assert all("_" not in member for member in schema["properties"])


def test_a_name_that_is_not_listed_cannot_be_sent() -> None:
    with pytest.raises(ValueError, match="event_types"):
        checked_type("narrative.guessed")


def test_only_what_a_client_needs_is_sent_again() -> None:
    assert EVENT_TYPES["narrative.delta"].keeping == "live"
    assert EVENT_TYPES["narrative.completed"].keeping == "replayed"
    assert EVENT_TYPES["llm.calling"].keeping == "trace"


def test_what_nobody_sends_is_named_nowhere_and_the_rest_is() -> None:
    text = "\n".join(
        path.read_text(encoding="utf-8")
        for path in SOURCES.rglob("*.py")
        if path.name not in TABLES
    )
    named = set(re.findall(r"\"([a-z][a-z-]*(?:\.[a-z-]+)+)\"", text))
    # Names that are put together: `utils.fetch.…` and the ends of sub-agents and commands.
    sent = {name for name, one in EVENT_TYPES.items() if one.sender != "nobody"}
    assert sent <= named | {name for name in sent if name.startswith("utils.fetch.")}
    assert not {name for name, one in EVENT_TYPES.items() if one.sender == "nobody"} & named
