"""Inputs of the turn are bound from what earlier runs gave, by runtime or by contract."""

from typing import Any

import pytest

from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.runtime.prompt_inputs import BoundValue, InputBinding
from covel_host.schemas.compiled import CompiledSchema
from covel_host.turn.bindings import GivenValue, accepted, bound_inputs


def bound(given: list[GivenValue], **wanted: Any) -> InputBinding | None:
    manifest = RuntimeManifest.model_validate({"io": {"inputs": {"slot": wanted}}})
    named = {one.runtime_id: one for one in given}
    return bound_inputs(manifest, named, digest=lambda: {"turnId": "t"}).get("slot")


def gave(runtime_id: str, value: Any, **more: Any) -> GivenValue:
    return GivenValue(runtime_id=runtime_id, value=value, **more)


class OnlyText(CompiledSchema):
    """A schema that takes texts."""

    def __init__(self) -> None:
        super().__init__(True, None)

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str)


def test_the_host_gives_the_digest_of_the_turn() -> None:
    given = bound([], **{"from": {"kernel": "turn-digest@1"}})
    assert given == InputBinding((BoundValue({"turnId": "t"}, "kernel"),))
    selected = bound([], **{"from": {"kernel": "turn-digest@1"}, "select": "/turnId"})
    assert selected == InputBinding((BoundValue("t", "kernel"),))


def test_what_the_consumer_does_not_accept_is_left_out() -> None:
    one = InputBinding((BoundValue("a", "p/a"),))
    wrong = InputBinding((BoundValue(1, "p/a"),))
    listed = InputBinding((BoundValue("a", "p/a"),), is_list=True)
    bindings = {"one": one, "wrong": wrong, "listed": listed, "free": wrong}
    schemas = {name: OnlyText() for name in ("one", "wrong", "listed")}
    assert accepted(bindings, schemas) == {"one": one, "free": wrong}


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        ("", {"a/b": [1, None]}),
        ("/a~1b/0", 1),
        ("/a~1b/1", None),
    ],
)
def test_select_points_into_the_value(pointer: str, expected: Any) -> None:
    found = bound([gave("m/a", {"a/b": [1, None]})], **{"from": {"runtime": "m/a"}}, select=pointer)
    assert found == InputBinding((BoundValue(expected, "m/a"),))


@pytest.mark.parametrize("pointer", ["/x", "/a/2", "/a/01", "/a/-", "/a/0/x"])
def test_a_slot_without_anything_there_is_left_out(pointer: str) -> None:
    given = [gave("m/a", {"a": [1, 2]})]
    assert bound(given, **{"from": {"runtime": "m/a"}}, select=pointer) is None


def test_one_takes_the_first_provider_by_id_and_all_takes_every_one() -> None:
    given = [gave("m/b", 2, contract="c@1"), gave("m/a", 1, contract="c@1"), gave("m/c", 3)]
    first = bound(given, **{"from": {"contract": "c@1"}})
    every = bound(given, **{"from": {"contract": "c@1", "cardinality": "all"}})
    assert first == InputBinding((BoundValue(1, "m/a"),))
    assert every == InputBinding((BoundValue(1, "m/a"), BoundValue(2, "m/b")), is_list=True)


def test_a_value_that_breaks_its_contract_is_none() -> None:
    given = [
        gave("m/a", 1, contract="c@1", schema=OnlyText()),
        gave("m/b", "two", contract="c@1", schema=OnlyText()),
    ]
    assert bound(given, **{"from": {"contract": "c@1"}}) == InputBinding(
        (BoundValue("two", "m/b"),)
    )


def test_a_committed_input_is_not_bound_from_the_turn() -> None:
    wanted = {"from": {"runtime": "m/a"}, "scope": "committed", "recordAs": "log"}
    assert bound([gave("m/a", 1)], **wanted) is None
