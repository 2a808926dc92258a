"""How texts are cut into search terms (seed: 插件记忆与向量搜索; spec/memory.md 4.1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from itertools import pairwise

_CJK = (
    "\u1100-\u11ff"  # Hangul letters
    "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b"  # Han radicals, marks, numerals
    "\u3041-\u3096\u309d-\u309f"  # Hiragana
    "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Katakana with its long-vowel mark
    "\u3131-\u318e\ua960-\ua97c"  # Hangul letters
    "\u3400-\u4dbf\u4e00-\u9fff"  # Han
    "\uac00-\ud7a3\ud7b0-\ud7fb"  # Hangul syllables and letters
    "\uf900-\ufaff"  # Han, compatibility forms
    "\uff66-\uff9f\uffa0-\uffdc"  # half-width Katakana and Hangul
    "\U0001b000-\U0001b16f"  # older Kana
    "\U00020000-\U000323af"  # Han, supplementary planes
)
_TOKEN = re.compile(rf"([{_CJK}]+)|[^\W{_CJK}]{{2,}}")
_ASCII_WORD = re.compile(r"\w{2,}", re.ASCII)
_POSSESSIVE = re.compile(r"['’]s(?!\w)")
_MIN_PLURAL_LENGTH = 4


def search_terms(text: str) -> tuple[str, ...]:
    """The terms that a query asks for, each once, in the order of their first place.

    Lower case. Words of two or more letters, digits or underscores lose a possessive ending and
    one final `s`; runs of Chinese, Japanese or Korean characters give overlapping pairs, a run of
    one character gives that character. Empty when the text has no such words.
    """
    found: dict[str, None] = {}
    for run, word in _runs(text):
        if not run:
            found[word] = None
        elif len(run) == 1:
            found[run] = None
        else:
            found.update(dict.fromkeys(map("".join, pairwise(run))))
    return tuple(found)


def document_terms(text: str) -> tuple[dict[str, int], int]:
    """How often a text holds each term, and the text's length in positions.

    Single characters of Chinese, Japanese and Korean runs count as terms beside the pairs, so that
    a query of one character finds them; the length counts each character once all the same.
    """
    folded = _folded(text)
    if folded.isascii():
        # The same answer in half the time.
        words = list(map(_singular, _ASCII_WORD.findall(folded)))
        return dict(Counter(words)), len(words)
    counts: dict[str, int] = {}
    length = 0
    for run, word in _folded_runs(folded):
        if not run:
            counts[word] = counts.get(word, 0) + 1
            length += 1
            continue
        length += len(run)
        for character in run:
            counts[character] = counts.get(character, 0) + 1
        for pair in map("".join, pairwise(run)):
            counts[pair] = counts.get(pair, 0) + 1
    return counts, length


def count_terms(text: str, terms: Collection[str]) -> tuple[dict[str, int], int]:
    """What `document_terms` gives, for the given query terms alone; much faster on CJK texts."""
    folded = _folded(text)
    counts = {term: _count_cjk(folded, term) for term in terms if _TOKEN.fullmatch(term[0])}
    words = dict.fromkeys((term for term in terms if term not in counts), 0)
    length = 0
    for match in _TOKEN.finditer(folded):
        if (run := match[1]) is not None:
            length += len(run)
            continue
        length += 1
        if (word := _singular(match[0])) in words:
            words[word] += 1
    return {term: count for term, count in (*counts.items(), *words.items()) if count}, length


def term_places(text: str) -> Iterator[tuple[str, int, int]]:
    """Every term of a text with the start and end of the characters it stands for, in order.

    Offsets count in `text` itself; its characters are folded one by one, so that none moves.
    """
    for match in _TOKEN.finditer(_without_possessives(_lower_in_place(text))):
        start, end = match.span()
        run = match[1]
        if run is None:
            yield _singular(match[0]), start, end
            continue
        for offset, character in enumerate(run, start):
            yield character, offset, offset + 1
            if offset + 1 < end:
                yield run[offset - start : offset - start + 2], offset, offset + 2


def _count_cjk(folded: str, term: str) -> int:
    # Neighbours in the text are neighbours in a run; only a doubled character overlaps itself.
    if len(term) == 2 and term[0] == term[1]:
        return sum(1 for _ in re.finditer(f"(?={term})", folded))
    return folded.count(term)


def _runs(text: str) -> Iterator[tuple[str, str]]:
    """Every run of `text` as a pair: the run when it is CJK, else the finished word."""
    return _folded_runs(_folded(text))


def _folded_runs(folded: str) -> Iterator[tuple[str, str]]:
    for match in _TOKEN.finditer(folded):
        run = match[1]
        if run is None:
            yield "", _singular(match[0])
        else:
            yield run, ""


def _singular(word: str) -> str:
    if word[-1] != "s" or len(word) < _MIN_PLURAL_LENGTH or word[-2] == "s":
        return word
    return word[:-1]


def _lower_in_place(text: str) -> str:
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)


def _folded(text: str) -> str:
    return _without_possessives(text.lower())


def _without_possessives(text: str) -> str:
    # Blanks of the same length: places in the text stay what they are.
    if "'" not in text and "’" not in text:
        return text
    return _POSSESSIVE.sub("  ", text)
