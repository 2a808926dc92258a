"""A translation changes texts and nothing else."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from covel_host.worlds.overlays import Overlay, is_record_text, texts_in, with_locale_maps

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abk"), inner, max_size=3)
    ),
    max_leaves=12,
)


def overlaid(main: Any, translation: Any, **more: Any) -> tuple[Any, list[tuple[Any, ...]]]:
    overlay = Overlay(is_record_text, **more)
    return overlay.laid_over(main, translation), [found.path for found in overlay.problems]


def test_objects_merge_by_key_and_lists_by_their_identity() -> None:
    main = {"items": [{"id": "a", "text": "one", "n": 1}, {"id": "b", "text": "two"}]}
    found, problems = overlaid(main, {"items": [{"id": "b", "text": "zwei"}, {"id": "c"}]})
    assert found == {"items": [{"id": "a", "text": "one", "n": 1}, {"id": "b", "text": "zwei"}]}
    assert problems == [("items", 1)]


def test_the_identity_of_a_source_is_used_after_key_and_id() -> None:
    main = [{"slot": "x", "text": "one"}, {"slot": "y", "text": "two"}]
    found, problems = overlaid(main, [{"slot": "y", "text": "zwei"}], identity=("id", "slot"))
    assert (found, problems) == ([main[0], {"slot": "y", "text": "zwei"}], [])


def test_a_list_without_identity_goes_by_position() -> None:
    found, problems = overlaid([{"t": "a"}, {"t": "b"}], [{}, {"t": "B"}, {"t": "C"}])
    assert (found, problems) == ([{"t": "a"}, {"t": "B"}], [(2,)])


def test_a_list_of_texts_is_replaced_and_null_keeps_an_item() -> None:
    found, problems = overlaid({"keys": ["a", "b"]}, {"keys": ["A", None, "C"]})
    assert (found, problems) == ({"keys": ["A", "b", "C"]}, [])


def test_structure_and_numbers_stay() -> None:
    main = {"id": "a", "type": "npc", "n": 1, "flag": True, "text": "x"}
    found, problems = overlaid(
        main, {"id": "z", "type": "pc", "n": 2, "flag": False, "text": 3, "extra": "e"}
    )
    assert found == main
    assert problems == [("id",), ("type",), ("n",), ("flag",), ("text",), ("extra",)]


def shape(value: Any) -> Any:
    """`value` without its texts; a list of texts may have another length."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return "texts" if all(isinstance(item, str) for item in value) else list(map(shape, value))
    return "" if isinstance(value, str) else value


@given(main=JSON, translation=JSON)
def test_a_translation_never_changes_the_shape(main: Any, translation: Any) -> None:
    before = repr(main)
    found, _ = overlaid(main, translation)
    assert shape(found) == shape(main)
    assert repr(main) == before


@given(main=JSON)
def test_a_file_over_itself_is_itself_without_a_problem(main: Any) -> None:
    assert overlaid(main, main) == (main, [])


@given(main=JSON)
def test_without_translations_no_text_becomes_a_map(main: Any) -> None:
    places = {path for path, _ in texts_in(main)}
    assert with_locale_maps(main, {}, places, default_locale="en") == main


def test_texts_become_one_per_language_where_they_differ() -> None:
    main: Any = {"name": "Reeds", "id": "x", "note": "same"}
    translated: Any = {"zh": {"name": "芦苇", "id": "x", "note": "same"}}
    found = with_locale_maps(main, translated, {("name",), ("note",)}, default_locale="en")
    assert found == {"name": {"en": "Reeds", "zh": "芦苇"}, "id": "x", "note": "same"}
