"""`memory-search` on a real session: the ranking vectors, and whose data it may read."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from covel_host.host import Host
from covel_host.store.lorebook import put_lorebook_entry
from covel_host.store.messages import append_messages
from covel_host.store.plugin_data import DataKey, put_data
from covel_host.store.records import LorebookOwner, LorebookRecord
from covel_host.turn.admission import ManualRequest
from tests.store.builders import START, message
from tests.support.hosts import opened, played_on
from tests.support.memory_packages import search_package
from tests.vectors import load_vectors

ORDERS = load_vectors("ranking", kind="order")


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], list[str]]:
    """For every vector and scope the texts that the tool found, in order."""
    home = tmp_path_factory.mktemp("home")
    search_package(home)

    async def main() -> dict[tuple[str, str], list[str]]:
        found = {}
        async with opened(home) as host:
            for vector in (parameter.values[0] for parameter in ORDERS):
                session_id = await host.open_session(["searcher"])
                await _fill(host, session_id, vector["texts"])
                for scope in ("recall", "archival"):
                    payload = {"query": vector["query"], "scope": scope, "limit": 20}
                    results = await searched(host, session_id, payload)
                    found[vector["id"], scope] = [result["text"] for result in results]
        return found

    return asyncio.run(main())


async def _fill(host: Host, session_id: str, texts: list[str]) -> None:
    messages = [
        message(f"{session_id}-{place}", session_id, role="assistant", content=text)
        for place, text in enumerate(texts)
    ]
    entries = [
        LorebookRecord(
            session_id=session_id,
            owner=LorebookOwner(kind="world"),
            entry_id=f"entry-{place:02}",
            entry={"keys": [], "content": text, "strategy": "constant", "enabled": True},
            created_at=START,
            updated_at=START,
        )
        for place, text in enumerate(texts)
    ]
    store = host.ports.store
    await store.transaction(lambda transaction: append_messages(transaction, messages))
    for entry in entries:
        await store.transaction(lambda t, entry=entry: put_lorebook_entry(t, entry, revision=0))


async def searched(host: Host, session_id: str, payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    request = ManualRequest(target="searcher", session_id=session_id, payload=dict(payload))
    played = await played_on(host, request)
    assert played.report.failure is None, played.report.failure
    results: list[dict[str, Any]] = played.kept_result["output"]["results"]
    return results


@pytest.mark.parametrize("scope", ["recall", "archival"])
@pytest.mark.parametrize("vector", ORDERS)
def test_the_tool_orders_as_the_vectors_say(
    vector: dict[str, Any], scope: str, answers: Mapping[tuple[str, str], list[str]]
) -> None:
    role = "assistant: " if scope == "recall" else ""
    expected = [f"{role}{vector['texts'][index]}" for index in vector["order"]]
    assert answers[vector["id"], scope] == expected, vector["why"]


def test_data_is_found_where_its_active_package_declares_it(tmp_path: Path) -> None:
    search_package(tmp_path)
    search_package(tmp_path, plugin_id="other")

    async def main() -> tuple[Any, Any]:
        async with opened(tmp_path) as host:
            session_id = await host.open_session(["searcher"])
            for plugin_id in ("searcher", "other"):
                for namespace in ("facts", "drafts"):
                    await _put(host, session_id, plugin_id, namespace)
            alone = await searched(host, session_id, {"query": "salt"})
            both = await host.open_session(["searcher", "other"])
            for plugin_id in ("searcher", "other"):
                await _put(host, both, plugin_id, "facts")
            return alone, await searched(host, both, {"query": "salt"})

    alone, both = asyncio.run(main())
    assert [result["text"] for result in alone] == ["Salt of searcher in facts."]
    assert sorted(result["text"] for result in both) == [
        "Salt of other in facts.",
        "Salt of searcher in facts.",
    ]


async def _put(host: Host, session_id: str, plugin_id: str, namespace: str) -> None:
    key = DataKey(session_id=session_id, plugin_id=plugin_id, namespace=namespace, key="a")
    text = f'{{"text": "Salt of {plugin_id} in {namespace}."}}'
    await host.ports.store.transaction(
        lambda t: put_data(t, key, value_text=text, revision=0, at=START)
    )
