"""The part of a long text that shows what a query found (seed: memory-search)."""

from __future__ import annotations

from plugin_sdk.rules.terms import search_terms, term_places

DEFAULT_EXCERPT_LENGTH = 500
_LEAD = 120
_ELLIPSIS = "…"


def search_excerpt(text: str, query: str, limit: int = DEFAULT_EXCERPT_LENGTH) -> str:
    """At most `limit` characters of `text` around the first place that a query term matches.

    A text within the limit comes back whole. Otherwise the excerpt starts 120 characters before
    the first match (less where the limit is too small to hold both), at the beginning when nothing
    matches. An ellipsis on each cut side comes on top of the limit (spec/memory.md 4.3).

    Raises:
        ValueError: `limit` is below 1.
    """
    if limit < 1:
        raise ValueError(f"limit is {limit}; an excerpt has at least 1 character.")
    if len(text) <= limit:
        return text
    start = _window_start(text, query, limit)
    end = start + limit
    before = _ELLIPSIS if start else ""
    after = _ELLIPSIS if end < len(text) else ""
    return f"{before}{text[start:end]}{after}"


def _window_start(text: str, query: str, limit: int) -> int:
    wanted = frozenset(search_terms(query))
    for term, start, end in term_places(text):
        if term in wanted:
            lead = _LEAD if _LEAD + (end - start) <= limit else max(0, limit - (end - start)) // 2
            return max(0, start - lead)
    return 0
