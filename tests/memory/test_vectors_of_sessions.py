"""Searches by meaning: a session's texts get vectors from a model, and words stand in for it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from covel_host.memory import embedder as embedder_module
from covel_host.memory.embedder import embedder_of
from covel_host.memory.text_index import EMBEDDED_AT_ONCE
from covel_host.memory.vector_book import EMBEDDED_CHARACTERS
from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.slots import ApiKey, Slot
from covel_host.store.forks import ForkIds, fork_session
from covel_host.store.memory_vectors import vector_model, vector_sketches
from covel_host.store.sessions import delete_session, insert_session
from plugin_sdk.testing import ManualClock
from tests.memory.embedding_double import Meanings, Searching, rejecting, searching, slot_at
from tests.memory.sessions import MemorySession
from tests.models.http_double import error
from tests.models.support import make_slot, make_table
from tests.store.builders import session

NO_KEY = ApiKey("LAB_API_KEY", None)
Test = Callable[[Searching], Awaitable[None]]


def play(memory: MemorySession, test: Test, meanings: Meanings | None = None, **how: Any) -> None:
    async def main() -> None:
        async with asyncio.timeout(20), searching(memory.store, meanings, **how) as made:
            await test(made)

    asyncio.run(main())


def stored(memory: MemorySession, session_id: str = "s1") -> int:
    return len(memory.store.read_now(lambda r: list(vector_sketches(r, session_id))))


def test_a_passage_is_found_without_any_of_its_words(memory: MemorySession) -> None:
    memory.say("The lantern burns.", "A ship lies there.")
    memory.lore("brine", "Brine covers every stone.")

    async def test(made: Searching) -> None:
        [light] = await made.search("lamp", limit=1)
        assert light.text == "assistant: The lantern burns."
        assert 0 < light.score <= 1.001
        assert (await made.texts("vessel", scope="recall", limit=1)) == [
            "assistant: A ship lies there."
        ]
        assert (await made.texts("salt", scope="archival", limit=1)) == [
            "Brine covers every stone."
        ]

    play(memory, test)


def test_one_query_makes_one_vector_and_both_sources_share_it(memory: MemorySession) -> None:
    memory.say("The lantern burns.")
    memory.lore("brine", "Brine.")

    async def test(made: Searching) -> None:
        await made.search("lamp")
        await made.settled()
        made.meanings.asked.clear()
        await made.search("lamp")
        assert made.meanings.asked == [["lamp"]]
        await made.search("lamp")
        assert made.meanings.asked == [["lamp"], ["lamp"]]

    play(memory, test)


def test_what_a_turn_adds_is_found_by_the_next_search(memory: MemorySession) -> None:
    memory.say("A ship lies there.")

    async def test(made: Searching) -> None:
        await made.search("lamp")
        await asyncio.to_thread(memory.say, "The lantern burns.", "Salt.")
        assert (await made.texts("lamp", limit=1)) == ["assistant: The lantern burns."]

    play(memory, test)


def test_a_long_hit_without_a_word_of_the_query_shows_its_beginning(
    memory: MemorySession,
) -> None:
    memory.say("lantern " + "word " * 300)

    async def test(made: Searching) -> None:
        [text] = await made.texts("lamp")
        assert text.startswith("assistant: lantern word")
        assert text.endswith("…")

    play(memory, test)


def test_words_fill_up_what_vectors_leave(memory: MemorySession) -> None:
    memory.say("Odd.", "The lantern burns.")
    meanings = Meanings(fails=rejecting("Odd"))

    async def test(made: Searching) -> None:
        found = await made.texts("odd lamp", scope="recall")
        assert found == ["assistant: The lantern burns.", "assistant: Odd."]
        hits = await made.search("odd lamp", scope="recall")
        assert len({hit.message_id for hit in hits}) == len(hits) == 2

    play(memory, test, meanings)


def test_equal_texts_share_a_vector_and_both_count(memory: MemorySession) -> None:
    memory.say("The lantern burns.", "The lantern burns.")

    async def test(made: Searching) -> None:
        hits = await made.search("lamp")
        assert len({hit.message_id for hit in hits}) == 2
        assert made.meanings.texts.count("The lantern burns.") == 1

    play(memory, test)


# --- stale results ---------------------------------------------------------------------------


def test_switched_off_deleted_and_changed_records_are_never_shown(memory: MemorySession) -> None:
    memory.lore("keeper", "The lantern burns.")
    memory.fact("a", "A lantern of old.")
    memory.fact("b", "A light.")

    async def test(made: Searching) -> None:
        assert len(await made.texts("lamp")) == 3

        def change() -> None:
            memory.lore("keeper", "The lantern burns.", enabled=False)
            memory.forget("a")
            memory.fact("b", "A ship.")

        await asyncio.to_thread(change)
        assert await made.texts("lamp", limit=1) in ([], ["A ship."])
        assert "lantern" not in "".join(await made.texts("lamp lantern"))
        await asyncio.to_thread(memory.lore, "keeper", "The lantern burns.", enabled=True)
        made.meanings.asked.clear()
        assert (await made.texts("lamp", limit=1)) == ["The lantern burns."]
        assert made.meanings.asked == [["lamp"]]

    play(memory, test)


def test_an_undeclared_namespace_is_sent_nowhere(memory: MemorySession) -> None:
    memory.fact("a", "Secret lantern.", namespace="hidden")
    memory.fact("b", "A light.")

    async def test(made: Searching) -> None:
        assert (await made.texts("lamp secret")) == ["A light."]
        await made.settled()
        assert not any("Secret" in text for text in made.meanings.texts)

    play(memory, test)


# --- many, long, odd -------------------------------------------------------------------------


def test_many_texts_are_searched_by_words_until_they_have_vectors(memory: MemorySession) -> None:
    for number in range(3):
        memory.say(*[f"Step {number} {step}." for step in range(EMBEDDED_AT_ONCE)])
    memory.say("The lantern burns.")

    async def test(made: Searching) -> None:
        assert (await made.texts("lantern")) == ["assistant: The lantern burns."]
        await made.settled()
        assert stored(memory) == 3 * EMBEDDED_AT_ONCE + 1
        assert max(map(len, made.meanings.asked)) == EMBEDDED_AT_ONCE
        assert (await made.texts("lamp", limit=1)) == ["assistant: The lantern burns."]

    play(memory, test)


def test_a_rejected_text_stands_alone_and_is_not_sent_again(memory: MemorySession) -> None:
    memory.say(*[f"Step {number}." for number in range(12)], "Bad one.", "The lantern burns.")
    meanings = Meanings(fails=rejecting("Bad"))

    async def test(made: Searching) -> None:
        assert (await made.texts("lamp", limit=1)) == ["assistant: The lantern burns."]
        assert stored(memory) == 14
        assert ["Bad one."] in made.meanings.asked
        made.meanings.asked.clear()
        made.restart()
        await made.search("lamp")
        assert made.meanings.asked == [["lamp"]]
        assert "assistant: Bad one." in await made.texts("bad", limit=20)

    play(memory, test, meanings)


def test_a_model_that_rejects_everything_marks_nothing(memory: MemorySession) -> None:
    memory.say(*[f"Step {number}." for number in range(40)])
    meanings = Meanings(fails=lambda texts: None if texts == ["lamp"] else error(400))

    async def test(made: Searching) -> None:
        await made.search("lamp")
        await made.settled()
        assert stored(memory) == 0

    play(memory, test, meanings)


def test_only_the_beginning_of_a_text_is_sent(memory: MemorySession) -> None:
    memory.say("\u6f6e" * 20_000, "lantern \U0001f30a " * 9)

    async def test(made: Searching) -> None:
        await made.search("lamp " * 9_000)
        await made.settled()
        assert max(map(len, made.meanings.texts)) == EMBEDDED_CHARACTERS
        assert stored(memory) == 2

    play(memory, test)


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_an_empty_query_asks_no_model(memory: MemorySession, query: str) -> None:
    memory.say("The lantern burns.")

    async def test(made: Searching) -> None:
        assert await made.texts(query) == []
        assert made.meanings.asked == []

    play(memory, test)


# --- fallback --------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 401, 404])
def test_words_answer_where_the_model_fails_and_it_is_left_alone_a_while(
    memory: MemorySession, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    memory.say("The lantern burns.")
    meanings = Meanings(fails=lambda _: error(status))

    async def test(made: Searching) -> None:
        for _ in range(3):
            assert (await made.texts("lantern")) == ["assistant: The lantern burns."]
        assert len(made.meanings.asked) == 1
        assert [record.levelname for record in caplog.records if "by words" in record.message] == (
            ["WARNING"]
        )
        meanings.fails = lambda _: None
        made.clock.advance(61)
        assert (await made.texts("lamp")) == ["assistant: The lantern burns."]

    play(memory, test, meanings)


def test_a_silent_model_is_waited_for_no_longer_than_its_limit(
    memory: MemorySession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedder_module, "QUERY_LIMIT_MS", 50)
    memory.say("The lantern burns.")
    forever = asyncio.Event()

    async def silent(_: asyncio.StreamWriter) -> None:
        await forever.wait()

    async def test(made: Searching) -> None:
        assert (await made.texts("lantern")) == ["assistant: The lantern burns."]
        forever.set()

    play(memory, test, Meanings(fails=lambda _: silent))


def test_another_model_neither_reads_nor_writes_the_vectors_of_the_first(
    memory: MemorySession,
) -> None:
    memory.say("The lantern burns.")

    async def first(made: Searching) -> None:
        await made.search("lamp")
        await made.settled()

    async def second(made: Searching) -> None:
        await asyncio.to_thread(memory.say, "Another lantern.")
        assert len(await made.texts("lantern")) == 2
        assert await made.texts("lamp") == []
        assert made.meanings.asked == []

    play(memory, first, model="lab/one")
    before = memory.store.read_now(lambda r: vector_model(r, "s1"))
    play(memory, second, model="lab/two")
    assert memory.store.read_now(lambda r: vector_model(r, "s1")) == before
    assert stored(memory) == 1


def test_a_model_that_changes_its_length_goes_by_words(memory: MemorySession) -> None:
    memory.say("The lantern burns.")

    async def test(made: Searching) -> None:
        await made.search("lamp")
        await made.settled()
        made.meanings.make = lambda _: [1.0, 0.5]
        await asyncio.to_thread(memory.say, "A light.")
        assert (await made.texts("light")) == ["assistant: A light."]
        await made.settled()
        assert stored(memory) == 1

    play(memory, test)


# --- sessions --------------------------------------------------------------------------------


def test_vectors_outlive_the_process_and_go_with_their_session(memory: MemorySession) -> None:
    memory.say("The lantern burns.")

    async def test(made: Searching) -> None:
        await made.search("lamp")
        made.restart()
        made.meanings.asked.clear()
        assert (await made.texts("lamp")) == ["assistant: The lantern burns."]
        assert made.meanings.asked == [["lamp"]]
        await made.store.transaction(lambda t: delete_session(t, "s1"))
        assert stored(memory) == 0
        assert await made.texts("lamp") == []
        await made.store.transaction(lambda t: insert_session(t, session(incarnation="i2")))
        assert await made.texts("lamp") == []

    play(memory, test)


def test_a_fork_makes_its_own_vectors(memory: MemorySession) -> None:
    memory.say("The lantern burns.")
    ids = ForkIds(session_id="s2", incarnation="i2", snapshot_id="fork-1")

    async def test(made: Searching) -> None:
        await made.search("lamp")
        at = session().created_at
        await made.store.transaction(lambda t: fork_session(t, "s1", 1, new=ids, at=at))
        assert (stored(memory), stored(memory, "s2")) == (1, 0)
        both = await asyncio.gather(
            *[made.search("lamp", session_id=name) for name in ("s1", "s2", "s1", "s2")]
        )
        assert [[hit.text for hit in hits] for hits in both] == (
            [["assistant: The lantern burns."]] * 4
        )
        await made.settled()
        assert (stored(memory), stored(memory, "s2")) == (1, 1)

    play(memory, test)


def test_vectors_of_texts_that_are_gone_are_let_go(memory: MemorySession) -> None:
    memory.say(*[f"Old {number}." for number in range(500)])

    async def test(made: Searching) -> None:
        await made.search("lamp")
        await made.settled()
        await asyncio.to_thread(memory.say, *[f"New {number}." for number in range(300)])
        await made.search("lamp")
        await made.settled()
        assert stored(memory) == 500

    play(memory, test)


def test_searches_at_once_make_one_set_of_vectors(memory: MemorySession) -> None:
    memory.say(*[f"Lantern {number}." for number in range(100)])

    async def test(made: Searching) -> None:
        await asyncio.gather(*[made.search("lamp") for _ in range(6)])
        await made.settled()
        assert stored(memory) == 100
        sent = [text for text in made.meanings.texts if text != "lamp"]
        assert len(sent) == len(set(sent)) == 100

    play(memory, test)


# --- which model -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slots", "environ", "is_used"),
    [
        ([], {}, False),
        ([make_slot()], {}, False),
        ([make_slot(), slot_at("http://127.0.0.1:9/v1")], {}, True),
        ([slot_at("http://127.0.0.1:9/v1")], {"VECTOR_BACKEND": "None"}, False),
        ([replace(slot_at("http://127.0.0.1:9/v1"), needs_key=True, key=NO_KEY)], {}, False),
    ],
)
def test_only_a_slot_that_works_and_is_wanted_gives_vectors(
    slots: list[Slot], environ: dict[str, str], *, is_used: bool
) -> None:
    gateway = ModelGateway(GatewayOptions(), make_table(*slots))
    assert (embedder_of(gateway, environ, clock=ManualClock()) is not None) == is_used
