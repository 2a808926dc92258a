"""The event directory of a session, from what its packages declare."""

from typing import Any, cast

from covel_host.catalog.events import LoadedEvent
from covel_host.catalog.generation import Generation
from covel_host.schemas.compiled import compile_schema
from covel_host.turn.session_events import SessionEvents


class Declaring:
    """What the directory reads of a generation."""

    def __init__(self, **topics: bool) -> None:
        self.events = {
            name.replace("_", "."): LoadedEvent(
                name.replace("_", "."), str(id(self)), advertised, compile_schema(True)
            )
            for name, advertised in topics.items()
        }


def directory(*declaring: Any) -> SessionEvents:
    return SessionEvents(cast("list[Generation]", declaring))


def test_public_topics_of_all_packages_stand_in_order() -> None:
    events = directory(Declaring(b_two=True, c_three=False), Declaring(a_one=True))
    assert list(events.advertised) == ["a.one", "b.two"]


def test_the_first_declarer_of_a_topic_counts() -> None:
    first, second = Declaring(a_one=True), Declaring(a_one=False)
    assert directory(first, second).advertised["a.one"] is first.events["a.one"]
    assert list(directory(second, first).advertised) == []
