"""Imported services as tools: names, annotations, schemas, input, and the ones that are absent."""

import asyncio
import logging
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pydantic import BaseModel, Field

from covel_host.manifest.agent import ServiceImport
from covel_host.services.directory import ServiceDirectory, Standing
from covel_host.services.failures import ServiceFailed, ServiceTimeout
from covel_host.tools.call_arguments import UnreadArguments, read_arguments
from covel_host.tools.service_failures import service_failure
from covel_host.tools.service_tools import ImportedTools, ServiceTool, imported_tools
from plugin_sdk import ToolValidationError, service
from plugin_sdk.context import ServiceContext
from plugin_sdk.errors import FieldProblem, ToolError
from plugin_sdk.services import Service


class Order(BaseModel):
    name: str = Field(min_length=1)
    tags: list[str] = []


@service("stock.items@1", kind="read", offer_to_models=True, description="Look into the stock.")
async def items(ctx: ServiceContext, order: Order) -> object:
    return order.name


@service("stock.take@1", kind="write", offer_to_models=True)
async def take(ctx: ServiceContext, order: Order) -> object:
    """Take out."""
    return None


@service("stock.open@1", kind="read", offer_to_models=True)
async def unshaped(ctx: ServiceContext, value: dict[str, object]) -> object:
    return value


@service("stock.inner@1", kind="read")
async def inner(ctx: ServiceContext) -> object:
    return None


SERVICES = (items, take, unshaped, inner)


def directory(
    *services: Service[..., Any], standing: Standing = "active", twice: bool = False
) -> ServiceDirectory:
    offered = {one.name: one for one in services or SERVICES}
    packages = {"stock": offered, **({"other": offered} if twice else {})}
    return ServiceDirectory(packages, standing=lambda plugin_id: standing)


def imported(
    *wanted: Any, services: ServiceDirectory | None = None, may_write: bool = True
) -> ImportedTools:
    imports = [
        ServiceImport(contract=one) if isinstance(one, str) else ServiceImport.model_validate(one)
        for one in wanted
    ]
    return imported_tools(
        imports, services or directory(), runtime_id="trader/deal", may_write=may_write
    )


def tool_of(contract: str) -> ServiceTool:
    (found,) = imported(contract).tools.values()
    assert found.source == "local"
    assert isinstance(found.tool, ServiceTool)
    return found.tool


def test_names_follow_the_contract_or_the_manifest() -> None:
    found = imported("stock.items@1", {"contract": "stock.take@1", "as": "grab"})
    assert list(found.tools) == ["stock-items", "grab"]
    assert found.absent == {}


def test_a_read_import_may_run_beside_others_and_a_write_import_may_not() -> None:
    read, write = tool_of("stock.items@1").annotations, tool_of("stock.take@1").annotations
    assert (read.read_only, read.stages_writes, read.idempotent, read.concurrency_safe) == (
        True,
        False,
        True,
        True,
    )
    assert (write.read_only, write.stages_writes, write.idempotent, write.concurrency_safe) == (
        False,
        True,
        False,
        False,
    )


def test_words_and_schema_are_the_providers() -> None:
    tool = tool_of("stock.items@1")
    assert tool.description == "Look into the stock."
    assert set(tool.input_schema["properties"]) == {"name", "tags"}
    assert "$schema" not in tool.input_schema


def test_an_explicit_schema_is_shown_and_the_input_checked_all_the_same() -> None:
    shown = {"type": "object", "properties": {"name": {"type": "string"}}}

    @service("stock.shown@1", kind="read", offer_to_models=True, input_schema=shown)
    async def explicit(ctx: ServiceContext, order: Order) -> object:
        return None

    (found,) = imported("stock.shown@1", services=directory(explicit)).tools.values()
    assert found.tool.input_schema["properties"] == {"name": {"type": "string"}}
    with pytest.raises(ToolValidationError):
        found.tool.parse('{"name": ""}')


def test_wrong_arguments_are_told_by_field_and_texts_are_repaired() -> None:
    tool = tool_of("stock.items@1")
    with pytest.raises(UnreadArguments) as caught:
        read_arguments(tool, '{"name": 5}')
    assert caught.value.failure.code == "invalid-input"
    assert [one.path for one in caught.value.failure.details] == ["name"]
    keywords, _ = read_arguments(tool, '{"name": "rope", "tags": "[\\"a\\"]"}')
    assert keywords == {"input": {"name": "rope", "tags": ["a"]}}


def test_what_the_model_sent_is_handed_on_without_defaults() -> None:
    assert tool_of("stock.items@1").parse('{"name": "rope"}') == {"input": {"name": "rope"}}
    assert tool_of("stock.open@1").parse('{"a": 1.5}') == {"input": {"a": 1.5}}


def test_a_call_waits_fifteen_seconds_at_most() -> None:
    asked: list[Any] = []

    class Seen:
        async def call(self, offer: Any, value: Any, *, timeout_ms: int) -> Any:
            asked.append((offer.plugin_id, offer.name, value, timeout_ms))
            return "rope"

    tool = tool_of("stock.items@1")
    context = cast(Any, SimpleNamespace(services=Seen()))
    assert asyncio.run(tool.invoke(context, {"input": {"name": "rope"}})) == "rope"
    assert asked == [("stock", "items", {"name": "rope"}, 15_000)]
    assert tool.timeout_ms is None


@pytest.mark.parametrize(
    ("contract", "services", "may_write", "reason"),
    [
        ("moss.map@2", directory(), True, "no active provider offers moss.map@2."),
        ("stock.items@1", directory(twice=True), True, "more than one plugin provides it."),
        (
            "stock.items@1",
            directory(standing="paused"),
            True,
            "its provider is paused after repeated errors.",
        ),
        ("stock.inner@1", directory(), True, "its provider does not offer it to models."),
        (
            "stock.take@1",
            directory(),
            False,
            "it changes data, which this runtime cannot do here.",
        ),
    ],
)
def test_an_absent_import_says_why_and_only_the_log_names_packages(
    contract: str,
    services: ServiceDirectory,
    may_write: bool,
    reason: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO, "covel_host.tools.service_tools"):
        found = imported(contract, services=services, may_write=may_write)
    assert found.tools == {}
    (message,) = found.absent.values()
    assert message.endswith(reason)
    assert "stock " not in message
    assert ("stock" in caplog.text.rpartition("Provider")[2]) == (contract != "moss.map@2")


def test_a_read_import_stays_where_nothing_may_be_written() -> None:
    assert list(imported("stock.items@1", may_write=False).tools) == ["stock-items"]


@pytest.mark.parametrize(
    ("error", "code", "is_authored"),
    [
        (ServiceTimeout("stock.items@1", 15_000), "timeout", True),
        (ServiceFailed("conflict", "Taken."), "conflict", True),
        (ServiceFailed("internal", "broken", is_authored=False), "internal", False),
    ],
)
def test_a_services_failure_is_its_own(error: Exception, code: str, is_authored: bool) -> None:
    failure = service_failure(error)
    assert failure is not None
    assert (failure.code, failure.raised_by, failure.is_authored) == (code, "service", is_authored)


def test_details_of_a_refused_input_are_kept() -> None:
    details = (FieldProblem("name", "is empty"),)
    failure = service_failure(ServiceFailed("invalid-input", "name: is empty", details=details))
    assert failure is not None
    assert failure.details == details


def test_other_errors_are_no_services() -> None:
    assert service_failure(ToolError("conflict", "Mine.")) is None
    assert service_failure(TimeoutError("Mine.")) is None
