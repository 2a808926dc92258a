"""The tree holds every event once, runs below what started them."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from covel_host.trace.events import TraceEvent
from covel_host.trace.tree import TraceNode, build_tree

RUNS = ("a", "b", "c", "d")


def event(position: int, run_id: str | None = None, parent_id: str | None = None) -> TraceEvent:
    return TraceEvent(
        type="tool.calling",
        at=datetime(2026, 1, 1, tzinfo=UTC),
        turn_id="t1",
        position=position,
        run_id=run_id,
        parent_id=parent_id,
    )


def outline(node: TraceNode) -> list[object]:
    return [
        child.event.position if child.event else [child.run_id, *outline(child)]
        for child in node.children
    ]


def positions(node: TraceNode) -> list[int]:
    own = [] if node.event is None else [node.event.position]
    return own + [position for child in node.children for position in positions(child)]


def test_runs_stand_where_they_began_below_their_starter() -> None:
    events = [
        event(0),
        event(1, "a"),
        event(2, "b", "a"),
        event(3, "c"),
        event(4, "b", "a"),
        event(5, "a"),
        event(6),
    ]
    assert outline(build_tree(events)) == [0, ["a", 1, ["b", 2, 4], 5], ["c", 3], 6]


def test_a_child_that_speaks_before_its_starter_still_stands_below_it() -> None:
    assert outline(build_tree([event(0, "b", "a"), event(1, "a")])) == [["a", ["b", 0], 1]]


def test_a_run_of_an_unknown_starter_stands_at_the_root() -> None:
    assert outline(build_tree([event(0, "a", "gone")])) == [["a", 0]]


def test_events_are_put_in_order_first() -> None:
    assert outline(build_tree([event(1), event(0)])) == [0, 1]


@given(
    st.lists(
        st.tuples(st.none() | st.sampled_from(RUNS), st.none() | st.sampled_from(RUNS)),
        max_size=12,
    )
)
def test_every_event_stands_in_the_tree_once_even_when_runs_name_each_other(
    places: list[tuple[str | None, str | None]],
) -> None:
    events = [event(position, run, parent) for position, (run, parent) in enumerate(places)]
    assert sorted(positions(build_tree(events))) == list(range(len(places)))
