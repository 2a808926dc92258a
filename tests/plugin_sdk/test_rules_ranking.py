"""Search terms, BM25 orders, the incremental index and excerpts."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugin_sdk.rules.excerpts import search_excerpt
from plugin_sdk.rules.ranking import rank_documents, rank_texts
from plugin_sdk.rules.ranking_index import RankingIndex
from plugin_sdk.rules.ranking_postings import GROUPED_FROM
from plugin_sdk.rules.terms import count_terms, document_terms, search_terms, term_places

WORDS = ["lamp", "lamps", "keeper's", "boat", "the", "x", "灯", "灯塔", "守灯人", "Wren借", "…"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=60)


@given(
    start=st.lists(TEXTS, max_size=12),
    changes=st.lists(
        st.tuples(st.sampled_from(["add", "remove", "replace"]), st.integers(0, 9), TEXTS),
        max_size=30,
    ),
    query=TEXTS,
    limit=st.none() | st.integers(0, 5),
    min_coverage=st.sampled_from([0.0, 0.2, 0.5, 1.0]),
)
def test_a_changed_index_answers_as_one_built_from_scratch(
    start: list[str],
    changes: list[tuple[str, int, str]],
    query: str,
    limit: int | None,
    min_coverage: float,
) -> None:
    index = RankingIndex(enumerate(start))
    kept = dict(enumerate(start))
    for number, (kind, place, text) in enumerate(changes, len(start)):
        if kind == "add":
            index.add(number, text)
            kept[number] = text
        elif kept:
            key = sorted(kept)[place % len(kept)]
            if kind == "remove":
                index.remove(key)
                del kept[key]
            else:
                index.replace(key, text)
                kept[key] = text
    keys, texts = list(kept), list(kept.values())
    found = index.search(query, limit=limit, min_coverage=min_coverage)
    fresh = RankingIndex(kept.items()).search(query, limit=limit, min_coverage=min_coverage)
    listed = rank_texts(query, texts, limit=limit, min_coverage=min_coverage)
    read = [document_terms(text) for text in texts]
    assert rank_documents(query, read, limit=limit, min_coverage=min_coverage) == listed
    assert found == fresh
    assert [(m.key, m.score, m.coverage, m.matched) for m in found] == [
        (keys[text.index], text.score, text.coverage, text.matched) for text in listed
    ]
    assert len(index) == len(kept)


def test_removed_texts_leave_nothing_behind() -> None:
    index = RankingIndex((n, f"word{n} lamp") for n in range(500))
    for n in range(499):
        index.remove(n)
    assert [match.key for match in index.search("lamp")] == [499]
    assert index.search("word7") == []
    assert 499 in index
    assert 7 not in index


def test_adding_a_known_key_and_changing_an_unknown_one_are_refused() -> None:
    index = RankingIndex([("a", "lamp")])
    with pytest.raises(KeyError):
        index.add("a", "boat")
    with pytest.raises(KeyError):
        index.remove("b")
    with pytest.raises(KeyError):
        index.replace("b", "boat")
    assert [match.key for match in index.search("lamp")] == ["a"]


def test_a_light_term_does_not_change_who_leads() -> None:
    texts = ["the pier " * 3] * 50 + ["Ysolde by the pier", "Ysolde, the keeper", "the Ysolde"]
    index = RankingIndex(enumerate(texts))
    expected = [text.index for text in rank_texts("the Ysolde", texts)]
    for limit in (1, 2, 3, 4, 53):
        assert [m.key for m in index.search("the Ysolde", limit=limit)] == expected[:limit]


@given(texts=st.lists(TEXTS, min_size=1, max_size=12), query=TEXTS, data=st.data())
def test_equal_scores_keep_list_order_under_any_permutation(
    texts: list[str], query: str, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(texts))))
    straight = {text.index: text.score for text in rank_texts(query, texts)}
    permuted = rank_texts(query, [texts[place] for place in order])
    assert {order[text.index]: text.score for text in permuted} == straight
    assert permuted == sorted(permuted, key=lambda text: (-text.score, text.index))


@given(texts=st.lists(TEXTS, min_size=1, max_size=8), query=TEXTS)
def test_only_texts_with_a_query_term_are_ranked(texts: list[str], query: str) -> None:
    wanted = set(search_terms(query))
    holding = {i for i, text in enumerate(texts) if wanted & document_terms(text)[0].keys()}
    ranked = rank_texts(query, texts)
    assert {text.index for text in ranked} == holding
    for text in ranked:
        assert 0 < text.coverage <= 1
        assert text.matched == len(wanted & document_terms(texts[text.index])[0].keys())


def test_coverage_weighs_terms_by_rarity_and_filters() -> None:
    texts = ["amber key", "amber ring", "amber rope", "pier"]
    full, *partial = rank_texts("amber key dragon", texts)
    assert (full.index, full.coverage, full.matched) == (0, 1.0, 2)
    assert all(0 < text.coverage < 0.5 for text in partial)
    assert [t.index for t in rank_texts("amber key dragon", texts, min_coverage=0.5)] == [0]
    assert [t.index for t in rank_texts("amber key", texts, limit=2)] == [0, 1]


@given(ANY_TEXT)
def test_a_text_finds_itself_by_any_of_its_terms(text: str) -> None:
    counts, length = document_terms(text)
    assert set(search_terms(text)) <= counts.keys()
    assert bool(length) == bool(counts)
    for term in counts:
        assert rank_texts(term, [text])


CJK_TEXT = st.text("灯塔守の등 s’xs", max_size=30)


@given(text=ANY_TEXT | TEXTS | CJK_TEXT, query=ANY_TEXT | TEXTS | CJK_TEXT)
def test_counting_some_terms_gives_what_counting_all_of_them_gives(text: str, query: str) -> None:
    counts, length = document_terms(text)
    wanted = search_terms(query)
    held = {term: counts[term] for term in wanted if term in counts}
    assert count_terms(text, wanted) == (held, length)


@given(ANY_TEXT)
def test_places_lie_inside_the_text(text: str) -> None:
    for term, start, end in term_places(text):
        assert term
        assert 0 <= start < end <= len(text)


@given(
    words=st.lists(st.sampled_from(WORDS), max_size=60),
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=2).map(" ".join),
    limit=st.integers(10, 80),
)
def test_an_excerpt_is_short_and_holds_a_hit_if_there_is_one(
    words: list[str], query: str, limit: int
) -> None:
    text = " ".join(words)
    excerpt = search_excerpt(text, query, limit)
    wanted = set(search_terms(query))
    if wanted & document_terms(text)[0].keys():
        assert wanted & document_terms(excerpt)[0].keys()
    if len(text) <= limit:
        assert excerpt == text
    else:
        body = excerpt.removeprefix("…").removesuffix("…")
        assert len(body) <= limit
        assert body in text


def test_an_excerpt_starts_120_characters_before_the_first_hit() -> None:
    text = "a " * 500 + "the keeper's lamp" + " b" * 500
    excerpt = search_excerpt(text, "keepers dragon")
    assert len(excerpt) == 502
    assert excerpt.index("keeper") == 121
    assert excerpt[0] == excerpt[-1] == "…"


def test_an_excerpt_without_a_hit_is_the_beginning() -> None:
    text = "a " * 500
    assert search_excerpt(text, "dragon") == text[:500] + "…"


def test_an_excerpt_with_a_hit_near_the_start_is_cut_at_the_end_only() -> None:
    text = "守灯人" + "。" * 600
    assert search_excerpt(text, "灯人", limit=10) == "守灯人" + "。" * 7 + "…"


def test_characters_that_grow_in_lower_case_do_not_move_the_excerpt() -> None:
    text = "İ" * 700 + " lamp " + "b" * 700
    assert search_excerpt(text, "lamp").index("lamp") == 121


def test_an_excerpt_of_no_length_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        search_excerpt("text", "text", limit=0)


def test_the_best_of_long_lists_are_those_of_the_whole_ranking() -> None:
    source = random.Random(6)
    words = [f"word{n}" for n in range(40)]

    def text() -> str:
        return " ".join(
            source.choices(words, [1 / (n + 1) for n in range(40)], k=source.choice([2, 2, 3, 9]))
        )

    index = RankingIndex((n, text()) for n in range(6 * GROUPED_FROM))
    for number in range(2 * GROUPED_FROM):
        index.replace(source.randrange(3 * GROUPED_FROM), text())
        index.remove(3 * GROUPED_FROM + number)
        index.add(f"more {number}", text())
    for _ in range(60):
        query = " ".join(source.sample(words, k=source.randint(1, 6)))
        for min_coverage in (0.0, 0.2, 0.7):
            everything = index.search(query, min_coverage=min_coverage)
            for limit in (1, 8, 300):
                best = index.search(query, limit=limit, min_coverage=min_coverage)
                assert best == everything[:limit]


def test_the_best_for_the_commonest_words_are_those_of_the_plain_ranking() -> None:
    source = random.Random(9)
    words = [f"w{n}" for n in range(12)]
    texts = [
        " ".join(
            source.choices(words, [1 / (n + 1) for n in range(12)], k=source.choice([1, 3, 8, 9]))
        )
        for _ in range(8 * GROUPED_FROM)
    ]
    index = RankingIndex(enumerate(texts))
    for query in ("w0", "w0 w1", "w0 w1 w2 w3 w4", "w11 w0", "w3 w4 w5 w6 w7 w8 w9 w10 w11"):
        plain = rank_texts(query, texts)
        for limit in (1, 5, 40):
            best = index.search(query, limit=limit)
            assert [(match.key, match.score) for match in best] == [
                (ranked.index, ranked.score) for ranked in plain[:limit]
            ]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=6), min_size=1, max_size=40),
    st.lists(st.sampled_from("abcde"), min_size=1, max_size=5),
    st.integers(1, 6),
    st.sets(st.integers(0, 39)),
)
def test_any_few_texts_many_times_rank_as_by_the_plain_ranking(
    shapes: list[list[str]], query: list[str], limit: int, removed: set[int]
) -> None:
    # Repeated, so that the lists are long enough for groups and bounds.
    texts = [" ".join(f"{letter}x" for letter in shape) for shape in shapes]
    texts *= max(1, 2 * GROUPED_FROM // len(texts))
    index = RankingIndex(enumerate(texts))
    for number in removed:
        if number in index:
            index.remove(number)
    kept = [(number, text) for number, text in enumerate(texts) if number not in removed]
    asked = " ".join(f"{letter}x" for letter in query)
    plain = rank_texts(asked, [text for _, text in kept], limit=limit)
    found = [(match.key, match.score, match.matched) for match in index.search(asked, limit=limit)]
    assert found == [(kept[one.index][0], one.score, one.matched) for one in plain]


def test_a_term_that_becomes_rare_and_common_again_keeps_its_order() -> None:
    index = RankingIndex((n, "lamp " * (1 + n % 3)) for n in range(2 * GROUPED_FROM))
    for n in range(2 * GROUPED_FROM - 5):
        index.remove(n)
    for n in range(2 * GROUPED_FROM):
        index.add(f"new {n}", "lamp pier")
    assert index.search("lamp", limit=9) == index.search("lamp")[:9]


def test_an_index_counts_its_pairs_of_text_and_term() -> None:
    index = RankingIndex([("a", "lamp lamp pier"), ("b", "lamp")])
    assert index.places == 3
    index.replace("b", "tide moss")
    index.remove("a")
    assert index.places == 2
