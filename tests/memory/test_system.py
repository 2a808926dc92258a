"""Searches of a session's memory, over a real store."""

import asyncio
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covel_host.base.json_text import JsonTextError
from covel_host.memory.hits import MemoryHit
from covel_host.memory.namespaces import SearchableNamespace
from covel_host.store.sessions import delete_session, insert_session
from tests.memory.sessions import FACTS, MemorySession
from tests.store.builders import session

UUID = "0b4c1f3e-9a52-4c1f-8d11-2f6f0b7a9c10"


def test_recall_finds_the_newest_messages_with_their_role(memory: MemorySession) -> None:
    memory.say("The lantern is lit.", "A boat lies there.")
    [hit] = memory.search("lanterns")
    assert (hit.source, hit.kind, hit.role) == ("recall", "message", "assistant")
    assert hit.text == "assistant: The lantern is lit."
    memory.say("Another lantern burns.")
    assert len(memory.search("lantern")) == 2


def test_recall_ends_after_500_messages(memory: MemorySession) -> None:
    memory.say("The amber key was hidden.")
    memory.say(*[f"Step {number}." for number in range(499)])
    assert memory.texts("amber") == ["assistant: The amber key was hidden."]
    memory.say("One more.")
    assert memory.texts("amber") == []
    assert memory.texts("amber", system=memory.fresh_system()) == []


def test_summaries_keep_older_turns_findable(memory: MemorySession) -> None:
    memory.say("The amber key was hidden.")
    memory.say(*[f"Step {number}." for number in range(500)])
    memory.summary("sum-1", "Ysolde hid the amber key under the pier.")
    [hit] = memory.search("amber", scope="recall")
    assert (hit.source, hit.kind, hit.role) == ("recall", "summary", "summary")
    assert hit.text == "summary: Ysolde hid the amber key under the pier."
    assert (hit.key, hit.message_id) == (None, None)
    assert memory.search("amber", scope="archival") == []
    memory.summary("sum-1", "Ysolde hid a copper key.")
    assert memory.texts("amber") == []
    memory.summary("sum-2", "An amber bead.")
    memory.drop_summary("sum-1")
    assert memory.texts("copper amber") == ["summary: An amber bead."]
    assert memory.texts("copper amber", system=memory.fresh_system()) == ["summary: An amber bead."]


def test_equal_messages_and_summaries_stand_in_the_order_of_their_commits(
    memory: MemorySession,
) -> None:
    memory.say("salt")
    memory.search("salt")
    memory.summary("s", "salt")
    memory.search("salt")
    memory.say("salt")
    roles = [hit.role for hit in memory.search("salt")]
    assert roles == ["assistant", "summary", "assistant"]
    fresh = memory.search("salt", system=memory.fresh_system())
    assert [hit.role for hit in fresh] == roles


def test_a_message_and_a_summary_of_one_id_are_two_things(memory: MemorySession) -> None:
    memory.say("Salt.")
    memory.summary("m1", "Salt of old.")
    assert sorted(memory.texts("salt")) == ["assistant: Salt.", "summary: Salt of old."]


ODD_TEXTS = [
    "",
    " ",
    "\0",
    "\u200b\u200d",
    "\U0001f30a\U0001f30a",
    "e\u0301 \u0130stanbul \u1e9e \ufb01n",
    "\u6f6e\u6c34\u304b\u306a\uac00",
    "\U00020000\U00020001",
    "' OR 1=1 --",
    "%_*?[a-z]{2}",
    "a" * 300_000,
    "\u6f6e" * 30_000,
    "word " * 30_000,
]


@pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
def test_odd_texts_are_kept_and_searched_like_any(memory: MemorySession, text: str) -> None:
    memory.say(text, "The lantern is lit.")
    memory.lore("odd", text, keys=[text[:50]])
    memory.character("npc", text[:50] or "Mira", description=text)
    for hit in memory.search(text, limit=20):
        assert len(hit.text.removeprefix("assistant: ")) <= 502
    assert memory.texts("lantern") == ["assistant: The lantern is lit."]


def test_equal_texts_of_different_messages_both_count(memory: MemorySession) -> None:
    memory.say("The tide turns.", "The tide turns.")
    hits = memory.search("tide")
    assert [hit.text for hit in hits] == ["assistant: The tide turns."] * 2
    assert len({hit.message_id for hit in hits}) == 2


def test_an_excerpt_has_500_characters_around_the_word(memory: MemorySession) -> None:
    memory.say("x " * 400 + "ferry " + "y " * 400)
    [hit] = memory.search("ferry")
    body = hit.text.removeprefix("assistant: ")
    assert body.startswith("…")
    assert body.endswith("…")
    assert "ferry" in body
    assert len(body) == 502


def test_archival_covers_lorebook_characters_and_declared_data(memory: MemorySession) -> None:
    memory.lore("harbour", "Salt covers every stone.", keys=["Old Pier"])
    memory.character("npc-mira", "Mira", fields={"trade": "sells salt"})
    memory.fact("t00001-1", "Mira sold salt to the miller.")
    memory.fact("t1", "Secret salt.", namespace="undeclared")
    found = memory.search("salt")
    assert {(hit.kind, hit.key) for hit in found} == {
        ("lorebook", "Old Pier"),
        ("character", "Mira"),
        ("data", "t00001-1"),
    }
    assert all(hit.source == "archival" for hit in found)


def test_a_lorebook_entry_is_found_by_its_keywords_and_shows_its_content(
    memory: MemorySession,
) -> None:
    memory.lore("keeper", "She tends the lamp.", keys=["Ysolde"])
    [hit] = memory.search("Ysolde")
    assert (hit.key, hit.text) == ("Ysolde", "She tends the lamp.")


def test_a_switched_off_entry_is_out_at_once_and_back_at_once(memory: MemorySession) -> None:
    memory.lore("well", "A copper mirror.", enabled=False)
    assert memory.texts("mirror") == []
    memory.lore("well", "A copper mirror.", enabled=True)
    assert memory.texts("mirror") == ["A copper mirror."]
    memory.lore("well", "A copper mirror.", enabled=False)
    assert memory.texts("mirror") == []


@pytest.mark.parametrize(
    ("entry_id", "keys", "key"),
    [
        ("harbour", ["Old Pier", "pier"], "Old Pier"),
        ("harbour", ["", "pier"], "harbour"),
        ("harbour", [], "harbour"),
        ("harbour", [UUID], None),
        (UUID, ["  "], None),
        (UUID, ["Old Pier"], "Old Pier"),
    ],
)
def test_the_key_of_lore_is_readable_or_left_out(
    memory: MemorySession, entry_id: str, keys: list[str], key: str | None
) -> None:
    memory.lore(entry_id, "Salt on stone.", keys=keys)
    [hit] = memory.search("salt")
    assert (hit.key, hit.text) == (key, "Salt on stone.")


def test_a_uuid_key_of_data_is_left_out(memory: MemorySession) -> None:
    memory.fact(UUID, "Salt on stone.")
    [hit] = memory.search("salt")
    assert (hit.key, hit.text) == (None, "Salt on stone.")


def test_equal_ids_of_different_owners_are_different_entries(memory: MemorySession) -> None:
    memory.lore("a", "Salt of the world.")
    memory.lore("a", "Salt of the diary.", owner="diary")
    assert sorted(memory.texts("salt")) == ["Salt of the diary.", "Salt of the world."]


def test_records_without_a_text_are_not_found_until_they_have_one(memory: MemorySession) -> None:
    other = SearchableNamespace("diary", "facts", "note")
    memory.fact("a", "Salt.")
    assert memory.texts("salt", namespaces=(other,)) == []
    assert memory.texts("salt", namespaces=(FACTS,)) == ["Salt."]
    assert memory.texts("salt", namespaces=()) == []


def test_all_takes_turns_and_fills_up(memory: MemorySession) -> None:
    memory.say("salt one", "salt two")
    for number in range(4):
        memory.lore(f"e{number}", f"salt lore {number}")
    sources = [hit.source for hit in memory.search("salt", limit=5)]
    assert sources == ["recall", "archival", "recall", "archival", "archival"]
    assert {hit.source for hit in memory.search("salt", scope="recall")} == {"recall"}
    assert {hit.source for hit in memory.search("salt", scope="archival")} == {"archival"}
    assert len(memory.search("salt", limit=20)) == 6


def test_a_deleted_record_is_gone_though_its_old_rows_are_pruned(memory: MemorySession) -> None:
    memory.fact("a", "Salt.")
    assert memory.texts("salt") == ["Salt."]
    memory.forget("a")
    assert memory.texts("salt") == []
    memory.fact("a", "Salt again.")
    assert memory.texts("salt") == ["Salt again."]


def test_a_search_that_failed_leaves_no_half_index(memory: MemorySession) -> None:
    memory.lore("a", "Salt of a.")
    memory.lore("b", "Salt of b.")
    assert len(memory.texts("salt")) == 2
    memory.lore("a", "Salt anew.")
    memory.lore("b", "")
    with closing(sqlite3.connect(memory.store.path)) as driver:
        driver.execute("UPDATE lorebook_entries SET entry = '{' WHERE entry_id = 'b'")
        driver.commit()
    with pytest.raises(JsonTextError):
        memory.texts("salt")
    memory.lore("b", "Salt mended.")
    assert sorted(memory.texts("salt")) == ["Salt anew.", "Salt mended."]


def test_a_session_of_the_same_id_starts_with_nothing(memory: MemorySession) -> None:
    memory.say("The lantern is lit.")
    assert memory.texts("lantern") != []
    memory.store.transaction_now(lambda t: delete_session(t, "s1"))
    assert memory.search("lantern") == []
    assert memory.system.kept_sessions == ()
    anew = session(incarnation="second")
    memory.store.transaction_now(lambda t: insert_session(t, anew))
    assert memory.search("lantern") == []


def test_an_unknown_session_has_nothing_and_is_not_kept(memory: MemorySession) -> None:
    assert memory.search("lantern", session_id="s9") == []
    assert memory.system.kept_sessions == ()


@pytest.mark.parametrize("limit", [0, 21])
def test_a_limit_outside_1_to_20_is_refused(memory: MemorySession, limit: int) -> None:
    with pytest.raises(ValueError, match="1 to 20"):
        memory.search("lantern", limit=limit)


def test_the_sessions_used_last_are_kept(tmp_path: Path) -> None:
    made = MemorySession(tmp_path, max_sessions=2)
    for name in ("s2", "s3"):
        made.store.transaction_now(lambda t, name=name: insert_session(t, session(name)))
    for name in ("s1", "s2", "s1", "s3"):
        made.search("lantern", session_id=name)
    assert made.system.kept_sessions == ("s1", "s3")
    made.store.close()


def test_a_large_index_pushes_the_others_out_and_stays_itself(tmp_path: Path) -> None:
    made = MemorySession(tmp_path, max_places=10)
    made.store.transaction_now(lambda t: insert_session(t, session("s2")))
    made.search("lantern", session_id="s2")
    made.say("one two three four five six seven eight nine ten eleven twelve")
    assert made.texts("eleven") != []
    assert made.system.kept_sessions == ("s1",)
    made.store.close()


def test_searches_at_once_answer_alike(memory: MemorySession) -> None:
    memory.say(*[f"salt {number}" for number in range(50)])

    async def main() -> list[list[MemoryHit]]:
        one = memory.system.of_session("s1", ())
        searches = (one.search("salt", scope="all", limit=5) for _ in range(8))
        return await asyncio.gather(*searches)

    found = asyncio.run(main())
    assert all(hits == found[0] for hits in found)
    assert len(found[0]) == 5


WORDS = ["salt", "pier", "lamp", "tide"]
KINDS = ["say", "lore", "off", "character", "fact", "forget", "sum", "drop", "search"]
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(
            ["say", "lore", "off", "character", "fact", "forget", "sum", "drop", "search"]
        ),
        st.sampled_from("abc"),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
    ),
    max_size=14,
)


@settings(max_examples=25, deadline=None)
@given(CHANGES)
def test_a_memory_that_followed_answers_as_one_that_starts_now(
    changes: list[tuple[str, str, str]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        memory = MemorySession(Path(folder))
        for change, key, text in changes:
            _apply(memory, change, key, text)
        for query in (*WORDS, "salt tide"):
            fresh = memory.search(query, system=memory.fresh_system(), limit=20)
            assert memory.search(query, limit=20) == fresh
        memory.store.close()


def _apply(memory: MemorySession, change: str, key: str, text: str) -> None:
    match change:
        case "say":
            memory.say(text)
        case "lore" | "off":
            memory.lore(key, text, enabled=change == "lore")
        case "character":
            memory.character(key, text)
        case "fact":
            memory.fact(key, text)
        case "forget":
            memory.forget(key)
        case "sum":
            memory.summary(key, text)
        case "drop":
            memory.drop_summary(key)
        case _:
            memory.search(text)
