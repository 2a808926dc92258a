"""Who offers a contract, and what an import of it means."""

from typing import Any

import pytest

from covel_host.services.directory import NoProvider, OfferedService
from plugin_sdk import service
from plugin_sdk.context import ServiceContext
from tests.services.bench import ServiceBench


def offers(name: str, *, to_models: bool = True) -> Any:
    @service("stock.items@1", kind="read", name=name, offer_to_models=to_models)
    async def items(ctx: ServiceContext) -> object:
        """List the items."""
        return None

    return items


def test_providers_are_the_active_ones_in_the_sessions_order() -> None:
    bench = ServiceBench(b=[offers("one"), offers("two")], a=[offers("items")], c=[offers("x")])
    bench.standings |= {"c": "paused"}
    found = bench.calls.discover("stock.items@1")
    assert [(one.plugin_id, one.name) for one in found] == [
        ("b", "one"),
        ("b", "two"),
        ("a", "items"),
    ]
    assert found[0].description == "List the items."
    assert bench.calls.discover("stock.items@2") == []


@pytest.mark.parametrize(
    ("packages", "standings", "reason"),
    [
        ({}, {}, "missing"),
        ({"a": [offers("x")]}, {"a": "inactive"}, "missing"),
        ({"a": [offers("x")]}, {"a": "paused"}, "paused"),
        ({"a": [offers("x")], "b": [offers("x", to_models=False)]}, {}, "several"),
        ({"a": [offers("x", to_models=False)]}, {}, "not-offered"),
    ],
)
def test_an_import_without_one_usable_provider_says_why(
    packages: Any, standings: Any, reason: str
) -> None:
    bench = ServiceBench(**packages)
    bench.standings |= standings
    found = bench.directory.for_models("stock.items@1")
    assert isinstance(found, NoProvider)
    assert found.reason == reason


def test_a_paused_provider_leaves_the_contract_to_the_other() -> None:
    bench = ServiceBench(a=[offers("x")], b=[offers("y")])
    bench.standings["a"] = "paused"
    found = bench.directory.for_models("stock.items@1")
    assert isinstance(found, OfferedService)
    assert found.plugin_id == "b"


def test_of_several_services_of_one_package_the_first_for_models_is_meant() -> None:
    bench = ServiceBench(a=[offers("w", to_models=False), offers("x"), offers("y")])
    found = bench.directory.for_models("stock.items@1")
    assert isinstance(found, OfferedService)
    assert found.service.name == "x"
