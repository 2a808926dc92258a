"""`covel.http` of loaded packages: what it may reach, and its end."""

import asyncio
from pathlib import Path

import pytest

from covel_host.base.cancel_signal import CancelSignal
from covel_host.catalog.generation_http import GenerationHttp
from covel_host.catalog.http_permissions import package_policy, runtime_policy
from covel_host.manifest.package import read_package
from covel_host.net.policy import HttpPolicy
from covel_host.net.urls import read_origin
from plugin_sdk.errors import ToolError

API = read_origin("https://api.example.org")
PLUGIN = "---\ndescription: A package of a test.\n---\n"
RUNTIME = """---
schedule: {trigger: {type: manual}}
agent: {}
permissions:
  http:
    - {origin: "https://api.example.org", methods: [GET]}
    - {origin: "https://API.example.org:443", methods: [POST]}
    - {origin: "https://localhost:8188"}
---
Do it.
"""


def package(tmp_path: Path) -> Path:
    root = tmp_path / "demo"
    (root / "runtimes" / "a").mkdir(parents=True)
    (root / "PLUGIN.md").write_text(PLUGIN, encoding="utf-8")
    (root / "runtimes" / "a" / "RUNTIME.md").write_text(RUNTIME, encoding="utf-8")
    return root


def test_a_package_reaches_what_any_of_its_runtimes_declares(tmp_path: Path) -> None:
    reading = read_package(package(tmp_path))
    policy = package_policy(reading, is_bundled=False)
    assert policy.problem(API, "GET") is None
    assert policy.problem(API, "POST") is None
    assert policy.problem(API, "DELETE") is not None
    assert policy.problem(read_origin("https://example.org"), "GET") is not None
    assert policy.may_be_loopback(read_origin("https://localhost:8188"))


def test_a_runtime_reaches_what_it_declares_itself(tmp_path: Path) -> None:
    [runtime] = read_package(package(tmp_path)).runtimes
    assert runtime.manifest is not None
    declared = runtime.manifest.permissions.http
    policy = runtime_policy("demo/a", declared[:1], is_bundled=False)
    problem = policy.problem(API, "POST")
    assert problem is not None
    assert "'demo/a'" in problem
    assert runtime_policy("demo/a", (), is_bundled=True).problem(API, "POST") is None


def test_it_ends_with_its_generation() -> None:
    async def main() -> None:
        signal = CancelSignal()
        served = GenerationHttp(HttpPolicy("The package 'demo'", {}), signal)
        with pytest.raises(ToolError, match="does not declare"):
            await served.http.fetch_with_retry("https://example.org")
        signal.cancel("test")
        with pytest.raises(ToolError, match="has ended"):
            await served.http.fetch_with_retry("https://example.org")
        await served.close()

    asyncio.run(main())


def test_a_plain_entry_may_wait_for_it_in_its_own_thread() -> None:
    async def main() -> str:
        served = GenerationHttp(HttpPolicy("The package 'demo'", {}), CancelSignal())

        def entry() -> str:
            try:
                asyncio.run(served.http.fetch_with_retry("https://example.org"))
            except ToolError as error:
                return error.code
            return "sent"

        return await asyncio.to_thread(entry)

    assert asyncio.run(main()) == "refused"
