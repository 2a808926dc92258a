"""The session resolver picks packages deterministically and gives every refusal a code."""

from __future__ import annotations

import sys
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from covel_host.catalog.resolver import resolve_session
from covel_host.catalog.resolver_types import (
    ImplementedPoint,
    Provided,
    Resolution,
    SessionPackage,
)
from tests.vector_adapters.resolver import package_of as package


def resolve(packages: list[dict[str, Any]], requested: list[str], **options: Any) -> Resolution:
    return resolve_session([package(data) for data in packages], requested=requested, **options)


def codes(resolution: Resolution) -> dict[str, str]:
    return {plugin_id: rejection.code for plugin_id, rejection in resolution.rejected.items()}


def test_active_lists_requests_in_their_order_and_the_others_by_id() -> None:
    resolution = resolve(
        [
            {"id": "zed"},
            {"id": "amber", "requires": ["facts@1"]},
            {"id": "facts", "provides": ["facts@1"]},
            {"id": "core-b", "kind": "core"},
            {"id": "core-a", "kind": "core"},
        ],
        ["zed", "amber", "zed"],
    )
    assert resolution.active == ("zed", "amber", "core-a", "core-b", "facts")
    assert resolution.auto_added == ("core-a", "core-b", "facts")


def test_an_unapproved_core_package_does_not_run() -> None:
    resolution = resolve([{"id": "core-a", "kind": "core", "source": "community"}], [])
    assert codes(resolution) == {"core-a": "approval-required"}


def test_an_ambiguous_choice_names_its_candidates() -> None:
    resolution = resolve(
        [
            {"id": "moss", "requires": ["facts@1"]},
            {"id": "facts-b", "provides": ["facts@1"]},
            {"id": "facts-a", "provides": ["facts@1"]},
        ],
        ["moss"],
    )
    rejection = resolution.rejected["moss"]
    assert rejection.candidates == ("facts-a", "facts-b")
    assert "'facts@1'" in rejection.message
    assert "facts-a, facts-b" in rejection.message


def test_an_invalid_conflict_names_its_field() -> None:
    resolution = resolve([{"id": "moss", "conflicts": ["a@1", "stage.cast@1"]}], ["moss"])
    assert resolution.rejected["moss"].path == "conflicts.1"


def test_a_ui_slot_is_provided_by_an_extension_that_fills_it() -> None:
    resolution = resolve(
        [
            {"id": "moss", "requires": ["stage.cast@1"]},
            {
                "id": "cast",
                "extensions": [{"point": "ui.slot@1", "id": "c", "slot": "stage.cast@1"}],
            },
        ],
        ["moss"],
    )
    assert set(resolution.active) == {"moss", "cast"}


def test_a_static_prompt_provides_prompt_segments() -> None:
    resolution = resolve_session(
        [
            SessionPackage("moss", requires=("prompt.segment@1",)),
            SessionPackage("tone", has_static_prompt=True),
        ],
        requested=["moss"],
    )
    assert resolution.active == ("moss", "tone")


def test_a_lost_provider_takes_the_whole_chain_along_and_no_other_comes_in() -> None:
    resolution = resolve(
        [
            {"id": "hush", "conflicts": ["drums@1"]},
            {"id": "drum", "provides": ["sound@1", "drums@1"]},
            {"id": "flute", "provides": ["sound@1"]},
            {"id": "dance", "provides": ["dance@1"], "requires": ["sound@1"]},
            {"id": "ball", "requires": ["dance@1"]},
        ],
        ["hush", "drum", "dance", "ball"],
    )
    assert resolution.active == ("hush",)
    assert codes(resolution) == {
        "drum": "conflict",
        "dance": "missing-provider",
        "ball": "missing-provider",
    }


def test_a_chain_that_ends_at_an_unapproved_provider_asks_for_approval() -> None:
    resolution = resolve(
        [
            {"id": "ball", "requires": ["dance@1"]},
            {"id": "dance", "provides": ["dance@1"], "requires": ["sound@1"]},
            {"id": "drum", "source": "community", "provides": ["sound@1"]},
        ],
        ["ball"],
    )
    assert codes(resolution) == {"ball": "approval-required", "dance": "approval-required"}


def test_what_was_added_for_a_rejected_package_goes_again() -> None:
    resolution = resolve(
        [
            {"id": "moss", "requires": ["facts@1", "gone@1"]},
            {"id": "facts", "provides": ["facts@1"], "requires": ["ink@1"]},
            {"id": "ink", "provides": ["ink@1"]},
        ],
        ["moss"],
    )
    assert resolution.active == ()
    assert codes(resolution) == {"moss": "missing-provider"}


def test_of_two_defaults_that_would_replace_each_other_the_earlier_request_stays() -> None:
    resolution = resolve(
        [
            {"id": "a", "provides": [{"contract": "x@1", "default": True}, "y@1"]},
            {"id": "b", "provides": [{"contract": "y@1", "default": True}, "x@1"]},
        ],
        ["b", "a"],
    )
    assert resolution.active == ("b",)
    assert codes(resolution) == {"a": "default-replaced"}


def test_a_world_requirement_reports_an_excluded_or_lost_provider() -> None:
    packages = [
        {"id": "quest", "provides": ["quests@1"]},
        {"id": "hush", "conflicts": ["quests@1"]},
    ]
    excluded = resolve(packages, [], excluded=["quest"], required_contracts=["quests@1"])
    assert excluded.unmet == {"quests@1": "excluded"}
    lost = resolve(packages, ["hush"], required_contracts=["quests@1"])
    assert lost.unmet == {"quests@1": "missing-provider"}


CONTRACTS = st.sampled_from(["a@1", "b@1", "c@1", "d@1", "history.compact@2"])


@st.composite
def catalogues(draw: st.DrawFn) -> list[SessionPackage]:
    some = st.lists(CONTRACTS, max_size=2, unique=True)
    return [
        SessionPackage(
            f"p{n}",
            kind=draw(st.sampled_from(["plugin", "plugin", "core"])),
            source=draw(st.sampled_from(["builtin", "builtin", "community"])),
            is_authorized=draw(st.booleans()),
            provides=tuple(Provided(c, draw(st.booleans())) for c in draw(some)),
            requires=tuple(draw(some)),
            conflicts=tuple(draw(st.lists(CONTRACTS, max_size=1))),
            extensions=tuple(
                ImplementedPoint("history.compact@2", "x") for _ in range(draw(st.integers(0, 1)))
            ),
            topics=tuple(draw(st.lists(st.sampled_from(["t.a", "t.b"]), max_size=1))),
        )
        for n in range(draw(st.integers(1, 8)))
    ]


@given(packages=catalogues(), data=st.data())
def test_every_resolution_is_consistent_and_ignores_the_order_of_the_catalogue(
    packages: list[SessionPackage], data: st.DataObject
) -> None:
    names = [*(p.plugin_id for p in packages), "nobody"]
    requested = data.draw(st.lists(st.sampled_from(names), max_size=5))
    excluded = data.draw(st.lists(st.sampled_from(names), max_size=2))
    world = data.draw(st.lists(CONTRACTS, max_size=2, unique=True))
    options: Any = {"requested": requested, "excluded": excluded, "required_contracts": world}
    resolution = resolve_session(packages, **options)
    assert resolve_session(data.draw(st.permutations(packages)), **options) == resolution

    by_id = {p.plugin_id: p for p in packages}
    active = [by_id[plugin_id] for plugin_id in resolution.active]
    offered = {contract for p in active for contract in p.offers}
    assert not set(resolution.active) & set(excluded)
    assert not set(resolution.active) & resolution.rejected.keys()
    assert {*requested} <= {*resolution.active, *resolution.rejected}
    assert all(p.may_run and set(p.requires) <= offered for p in active)
    for one in active:
        for other in active:
            if one is not other:
                assert not set(one.conflicts) & other.offers.keys()
                assert not one.single_points & other.single_points
                assert not set(one.topics) & set(other.topics)
    assert resolution.unmet.keys() == set(world) - offered
    assert all(rejection.message.endswith(".") for rejection in resolution.rejected.values())


def test_cost_is_linear_in_packages_and_requirements() -> None:
    assert _steps(1000) < 2.2 * _steps(500)


def _steps(count: int) -> int:
    """Lines that a chain of `count` packages takes whose last provider is lost."""
    packages = [
        SessionPackage(f"p{n:04d}", provides=(Provided(f"c{n}@1"),), requires=(f"c{n + 1}@1",))
        for n in range(count)
    ]
    packages.append(SessionPackage("end", provides=(Provided(f"c{count}@1"), Provided("x@1"))))
    packages.append(SessionPackage("hush", conflicts=("x@1",)))
    taken, tracer = 0, sys.gettrace()

    def count_step(*_: object) -> Any:
        nonlocal taken
        taken += 1
        return count_step

    sys.settrace(count_step)
    try:
        resolution = resolve_session(packages, requested=["hush", "p0000"])
    finally:
        sys.settrace(tracer)
    assert resolution.active == ("hush",)
    return taken
