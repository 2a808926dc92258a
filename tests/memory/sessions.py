"""A session whose memory a test fills and searches."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from covel_host.memory.hits import MemoryHit
from covel_host.memory.namespaces import SearchableNamespace
from covel_host.memory.system import MemoryOptions, MemorySystem
from covel_host.store.characters import put_character
from covel_host.store.history_summaries import (
    HistorySummary,
    delete_history_summary,
    put_history_summary,
)
from covel_host.store.lorebook import put_lorebook_entry
from covel_host.store.messages import append_messages
from covel_host.store.plugin_data import DataKey, delete_data, put_data
from covel_host.store.records import LorebookOwner, LorebookRecord
from covel_host.store.sessions import advance_session, insert_session, require_session
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from plugin_sdk.values import JsonObject
from tests.store.builders import START, message, options, session

FACTS = SearchableNamespace("diary", "facts", "text")


class MemorySession:
    """The session `s1`; every writing method is one commit."""

    def __init__(self, folder: Path, **limits: Any) -> None:
        self.store = Store.open(options(folder))
        self.store.transaction_now(lambda transaction: insert_session(transaction, session()))
        self.limits = limits
        self.system = self.fresh_system()
        self._messages = 0

    def fresh_system(self) -> MemorySystem:
        """A memory that knows nothing yet, over the same store."""
        return MemorySystem(self.store, MemoryOptions(**self.limits))

    def search(
        self,
        query: str,
        *,
        system: MemorySystem | None = None,
        namespaces: Sequence[SearchableNamespace] = (FACTS,),
        session_id: str = "s1",
        **wanted: Any,
    ) -> list[MemoryHit]:
        used = system or self.system
        return asyncio.run(used.search(session_id, query, namespaces=namespaces, **wanted))

    def texts(self, query: str, **wanted: Any) -> list[str]:
        return [hit.text for hit in self.search(query, **wanted)]

    def say(self, *contents: str, role: str = "assistant") -> None:
        rows = []
        for content in contents:
            self._messages += 1
            name = f"m{self._messages}"
            rows.append(message(name, role=role, source="runtime", content=content))
        self.commit(
            lambda transaction, revision: append_messages(
                transaction, [replace(row, revision=revision) for row in rows]
            )
        )

    def lore(self, entry_id: str, content: str, owner: str | None = None, **entry: Any) -> None:
        given: JsonObject = {
            "id": entry_id,
            "keys": [],
            "content": content,
            "strategy": "constant",
            "enabled": True,
            **entry,
        }
        record = LorebookRecord(
            session_id="s1",
            owner=LorebookOwner.of("plugin" if owner else "world", owner or ""),
            entry_id=entry_id,
            entry=given,
            created_at=START,
            updated_at=START,
        )
        self.commit(lambda t, revision: put_lorebook_entry(t, record, revision=revision))

    def character(self, character_id: str, name: str, **record: Any) -> None:
        full = {"id": character_id, "name": name, "type": "npc", "version": 1, **record}
        self.commit(lambda t, revision: put_character(t, "s1", full, revision=revision))

    def fact(self, key: str, text: str, *, namespace: str = "facts") -> None:
        value = f'{{"turn": 1, "text": "{text}"}}'
        self.commit(
            lambda t, revision: put_data(
                t, _key(namespace, key), value_text=value, revision=revision, at=START
            )
        )

    def forget(self, key: str) -> None:
        self.commit(lambda t, revision: delete_data(t, _key("facts", key), revision=revision))

    def summary(self, summary_id: str, content: str) -> None:
        record = HistorySummary(
            session_id="s1",
            summary_id=summary_id,
            content=content,
            first=1,
            last=2,
            created_at=START,
            focus_sections=("plot",),
        )
        self.commit(lambda t, revision: put_history_summary(t, record, revision=revision))

    def drop_summary(self, summary_id: str) -> None:
        self.commit(
            lambda t, revision: delete_history_summary(t, "s1", summary_id, revision=revision)
        )

    def commit(self, write: Any) -> None:
        def body(transaction: Transaction) -> None:
            now = require_session(transaction, "s1")
            write(transaction, now.revision + 1)
            advance_session(transaction, replace(now, updated_at=START), turn_id=None, at=START)

        self.store.transaction_now(body)


def _key(namespace: str, key: str) -> DataKey:
    return DataKey(session_id="s1", plugin_id="diary", namespace=namespace, key=key)
