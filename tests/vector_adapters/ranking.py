"""`ranking.json`: search terms and clear-cut orders."""

from typing import Any

from plugin_sdk.rules.ranking import rank_texts
from plugin_sdk.rules.ranking_index import RankingIndex
from plugin_sdk.rules.terms import search_terms


def check_terms(vector: dict[str, Any]) -> None:
    terms = search_terms(vector["text"])
    assert len(set(terms)) == len(terms)
    assert set(terms) == set(vector["terms"])


def check_order(vector: dict[str, Any]) -> None:
    query, texts = vector["query"], vector["texts"]
    index = RankingIndex(enumerate(texts))
    # The index promises the answers of the list, whether or not it may stop at a limit.
    listed = rank_texts(query, texts)
    assert [text.index for text in listed] == vector["order"]
    for matches in (index.search(query), index.search(query, limit=max(1, len(texts)))):
        assert [match.key for match in matches] == vector["order"]
        if "matched" in vector:
            assert [match.matched for match in matches] == vector["matched"]
        if "coverage" in vector:
            coverage = [round(match.coverage, 3) for match in matches]
            assert coverage == [round(wanted, 3) for wanted in vector["coverage"]]


CHECKS = {"terms": check_terms, "order": check_order}
