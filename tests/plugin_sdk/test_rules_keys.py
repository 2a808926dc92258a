"""Data set keys, entity IDs and the names of generated tools."""

import random
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugin_sdk.names import FRAMEWORK_TOOL_NAMES
from plugin_sdk.rules.keys import (
    dataset_key,
    import_tool_name,
    short_id,
    short_id_batch,
    word_id,
)

# Lower-casing this letter gives two signs, which NFKC may order anew beside other marks. The seed's
# formula does the same, so it is kept.
DOTTED_CAPITAL_I = "\u0130"


@given(st.text(st.characters(exclude_characters=DOTTED_CAPITAL_I)))
def test_a_dataset_key_is_its_own_key(text: str) -> None:
    assert dataset_key(dataset_key(text)) == dataset_key(text)


def test_lower_case_undoes_no_normalisation_of_any_single_character() -> None:
    unstable = [
        chr(code)
        for code in range(0x110000)
        if not 0xD800 <= code < 0xE000
        and dataset_key(dataset_key(chr(code))) != dataset_key(chr(code))
    ]
    assert unstable == []


@given(st.text())
def test_a_dataset_key_does_not_depend_on_case_or_form_of_white_space(text: str) -> None:
    assert dataset_key(f" {text}\u00a0\ufeff") == dataset_key(text)
    assert dataset_key(unicodedata.normalize("NFKC", text)) == dataset_key(text)


def test_white_space_is_that_of_the_stored_keys() -> None:
    assert dataset_key("a\ufeff b") == "a b"
    assert dataset_key("a\x1cb") == "a\x1cb"


LABEL = st.text(st.sampled_from("Wren 7-é灯"), max_size=6) | st.text(max_size=8)


@given(LABEL, LABEL, st.sets(LABEL.map(lambda label: word_id("npc", label, ())), max_size=5))
def test_word_ids_are_free_and_keep_to_their_alphabet(
    prefix: str, label: str, taken: set[str]
) -> None:
    made = word_id(prefix, label, taken)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", made)
    assert made not in taken


@given(st.lists(LABEL, max_size=8))
def test_word_ids_given_one_after_the_other_never_meet(labels: list[str]) -> None:
    taken: set[str] = set()
    for label in labels:
        taken.add(word_id("npc", label, taken))
    assert len(taken) == len(labels)


@pytest.mark.parametrize(
    ("prefix", "label", "made"),
    [
        ("room", "Café Zoë", "room-cafe-zoe"),
        ("Room_Big", "A--b", "room-big-a-b"),
        ("侠客", "Wren", "wren"),
        ("npc", "O'Neil", "npc-o-neil"),
    ],
)
def test_words_lose_accents_and_signs(prefix: str, label: str, made: str) -> None:
    assert word_id(prefix, label, ()) == made


@given(LABEL, LABEL, st.randoms(use_true_random=False))
def test_short_ids_end_in_random_digits(prefix: str, label: str, source: random.Random) -> None:
    made = short_id(prefix, label, source)
    assert re.fullmatch(r"(?:[a-z0-9]+-)*[0-9a-f]{8}", made)


def test_a_short_id_has_the_label_and_eight_digits() -> None:
    source = random.Random(4)
    assert re.fullmatch(r"item-dragon-sword-[0-9a-f]{8}", short_id("item", "Dragon Sword", source))
    assert re.fullmatch(r"item-[0-9a-f]{8}", short_id("item", "龙息术", source))


def test_a_short_id_keeps_32_characters_of_the_label() -> None:
    made = short_id("item", "abcdefghijklmnopqrstuvwxyz12345 more", random.Random(4))
    assert re.fullmatch(r"item-abcdefghijklmnopqrstuvwxyz12345-[0-9a-f]{8}", made)


def test_the_same_random_source_gives_the_same_short_ids() -> None:
    labels = ["a", "a", "灯", "b" * 99]
    first, second = (short_id_batch("x", labels, random.Random(1)) for _ in range(2))
    assert first == second
    assert len(set(first)) == len(labels)


class Stuck:
    def getrandbits(self, k: int, /) -> int:
        return 2**k - 1


def test_a_batch_has_no_equal_ids_even_with_equal_random_numbers() -> None:
    assert short_id_batch("x", ["a", "A!", "灯"], Stuck()) == [
        "x-a-ffffffff",
        "x-a-00000000",
        "x-ffffffff",
    ]


@pytest.mark.parametrize("name", FRAMEWORK_TOOL_NAMES)
def test_an_import_never_takes_the_name_of_a_framework_tool(name: str) -> None:
    for contract, alias in ((name.replace("-", ".") + "@1", None), ("world.map@2", name)):
        with pytest.raises(ValueError, match="Give the import another name with 'as'"):
            import_tool_name(contract, alias=alias)
