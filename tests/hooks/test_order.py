"""The order of hooks and packages."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from covel_host.hooks.order import ordered_hooks, package_order
from plugin_sdk.hooks import HOOK_ORDERS
from tests.hooks.support import GivenHook, hook

IDS = st.sampled_from("abcdef")
EDGES = st.dictionaries(IDS, st.sets(IDS), max_size=6)


def nothing() -> None: ...


def reached(dependencies: dict[str, set[str]], start: str, among: set[str]) -> set[str]:
    """What `start` depends on, directly or not."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for provider in dependencies.get(waiting.pop(), ()):
            if provider in among and provider not in found:
                found.add(provider)
                waiting.append(provider)
    return found


@given(st.sets(IDS), EDGES)
def test_every_package_stands_once_behind_what_it_depends_on(
    plugin_ids: set[str], dependencies: dict[str, set[str]]
) -> None:
    ordered = package_order(plugin_ids, dependencies)
    assert sorted(ordered) == sorted(plugin_ids)
    for plugin_id in plugin_ids:
        for provider in reached(dependencies, plugin_id, plugin_ids):
            in_a_circle = plugin_id in reached(dependencies, provider, plugin_ids)
            assert in_a_circle or ordered.index(provider) < ordered.index(plugin_id)


@given(st.permutations("abcdef"), EDGES)
def test_the_order_does_not_depend_on_the_order_of_the_question(
    plugin_ids: list[str], dependencies: dict[str, set[str]]
) -> None:
    assert package_order(plugin_ids, dependencies) == package_order("abcdef", dependencies)


@given(st.sets(IDS))
def test_packages_without_dependencies_stand_by_id(plugin_ids: set[str]) -> None:
    assert list(package_order(plugin_ids, {})) == sorted(plugin_ids)


def test_a_free_package_does_not_wait_for_others() -> None:
    assert package_order("abcd", {"b": ["d"]}) == ("a", "c", "d", "b")


def test_the_members_of_a_circle_stand_by_id() -> None:
    assert package_order("abc", {"a": ["b"], "b": ["a"]}) == ("a", "b", "c")
    assert package_order("abc", {"a": ["b"], "b": ["c"], "c": ["b"]}) == ("b", "c", "a")


def test_a_package_may_be_said_to_depend_on_itself_or_on_one_that_is_not_there() -> None:
    assert package_order("ab", {"a": ["a", "z"], "b": []}) == ("a", "b")


ALL = [
    hook(nothing, plugin_id=plugin_id, order=order, position=position)
    for plugin_id, order, position in product("abc", HOOK_ORDERS, (0, 1))
]


@given(st.permutations(ALL), st.permutations("ab"))
def test_hooks_stand_by_group_then_package_then_position(
    hooks: list[GivenHook], packages: list[str]
) -> None:
    ordered = ordered_hooks(hooks, packages=packages)
    wanted = [
        (order, plugin_id, position)
        for order in HOOK_ORDERS
        for plugin_id in packages
        for position in (0, 1)
    ]
    assert [(one.order, one.plugin_id, one.position) for one in ordered] == wanted
