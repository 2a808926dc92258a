"""`ctx.http`: whose permissions count, what the trace is told, and when it ends."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from covel_host.net.client import HttpClient, HttpRequest, Policy, check
from covel_host.net.errors import HttpFailed
from covel_host.net.policy import HttpPolicy
from covel_host.runtime.result import RuntimeResult
from covel_host.runtime.runs import new_run
from plugin_sdk.errors import ToolError
from plugin_sdk.records import HttpResponse
from tests.runtime.conftest import BenchMaker
from tests.support.runs import RunBench, function_manifest

URL = "https://api.example.org/v1?key=s3cret"
ALLOWED = {"http": [{"origin": "https://api.example.org", "methods": ["GET"]}]}


class Client(HttpClient):
    """Answers what the policy lets pass."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[HttpRequest] = []

    async def fetch(self, request: HttpRequest, policy: Policy) -> HttpResponse:
        check(policy, request.address.origin, request.method)
        self.asked.append(request)
        if request.address.target == "/late":
            raise HttpFailed("'api.example.org' did not answer.", code="timeout")
        return HttpResponse(status=200, headers={}, body=b"here")


def manifest(permissions: Any = None) -> dict[str, Any]:
    made = function_manifest()
    if permissions is not None:
        made["runtime"] = {**made["runtime"], "permissions": permissions}
    return made


def play(bench: RunBench, client: HttpClient | None, **facts: Any) -> RuntimeResult:
    async def main() -> RuntimeResult:
        try:
            return await new_run(bench.run(**facts), replace(bench.ports, http=client)).result()
        finally:
            assert await bench.executor.close() == ()
            assert await bench.tasks.close() == ()

    return asyncio.run(main())


async def fetch(ctx: Any, url: str = URL, **members: Any) -> object:
    try:
        return (await ctx.http.fetch_with_retry(url, **members)).body.decode()
    except ToolError as error:
        return error.code


def test_a_runtime_reaches_what_it_declares_and_nothing_else(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        return [
            await fetch(ctx),
            await fetch(ctx, method="POST"),
            await fetch(ctx, "https://example.org"),
            await fetch(ctx, "ftp://example.org"),
            await fetch(ctx, headers={"Host": "x"}),
            await fetch(ctx, body="text"),
            await fetch(ctx, timeout_ms=0),
            await fetch(ctx, "https://api.example.org/late"),
            ctx.http.validate_base_url("https://api.example.org").ok,
            ctx.http.validate_base_url("https://example.org").ok,
        ]

    result = play(bench(manifest=manifest(ALLOWED)), Client(), handler=handle)
    refused = ["refused"] * 2
    invalid = ["invalid-input"] * 4
    assert result.value == ["here", *refused, *invalid, "timeout", True, False]


def test_without_permissions_nothing_is_reached(bench: BenchMaker) -> None:
    assert play(bench(manifest=manifest()), Client(), handler=fetch).value == "refused"


def bundled() -> Mapping[str, HttpPolicy]:
    return {"demo": HttpPolicy("The package 'demo'", {}, is_open=True)}


def test_a_bundled_package_reaches_public_origins(bench: BenchMaker) -> None:
    made = bench(manifest=manifest())
    assert play(made, Client(), handler=fetch, http_policies=bundled()).value == "here"


def test_the_trace_knows_host_method_status_and_time_alone(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        await fetch(ctx, headers={"Authorization": "Bearer s3cret"})
        return await fetch(ctx, "https://api.example.org/late")

    made = bench(manifest=manifest(ALLOWED))
    play(made, Client(), handler=handle)
    told = [event for event in made.log.events if event.type.startswith("utils.fetch.")]
    assert [event.type.rpartition(".")[2] for event in told] == [
        "calling",
        "responded",
        "calling",
        "failed",
    ]
    assert {*told[1].data} == {"host", "method", "status", "durationMs"}
    assert {*told[3].data} == {"host", "method", "code", "durationMs"}
    assert "s3cret" not in str([event.data for event in made.log.events])


def test_a_guard_has_it_and_it_ends_with_the_guard(bench: BenchMaker) -> None:
    kept: list[Any] = []

    async def guard(ctx: Any) -> None:
        kept.append(ctx)
        assert await fetch(ctx) == "here"

    async def handle(ctx: Any) -> object:
        return [await fetch(ctx), await fetch(kept[0])]

    made = bench(manifest=manifest(ALLOWED))
    assert play(made, Client(), handler=handle, guard=guard).value == ["here", "unavailable"]


def test_a_host_without_a_client_says_so(bench: BenchMaker) -> None:
    assert play(bench(manifest=manifest(ALLOWED)), None, handler=fetch).value == "unavailable"


PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452") + b"\0" * 32


class Pictures(Client):
    """Gives a picture, and under `/gone` none."""

    async def fetch(self, request: HttpRequest, policy: Policy) -> HttpResponse:
        await super().fetch(request, policy)
        status = 404 if request.address.target == "/gone" else 200
        return HttpResponse(status=status, headers={"content-type": "image/PNG; a=b"}, body=PNG)


def test_media_are_taken_from_allowed_addresses(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        async def taken(url: str) -> object:
            try:
                ref = await ctx.media.ingest_url(url)
            except ToolError as error:
                return error.code
            return [ref.mime, ref.size]

        return [
            await taken("https://api.example.org/x.png"),
            await taken("https://api.example.org/gone"),
            await taken("https://example.org/x.png"),
        ]

    result = play(bench(manifest=manifest(ALLOWED)), Pictures(), handler=handle)
    assert result.value == [["image/png", len(PNG)], "unavailable", "refused"]
