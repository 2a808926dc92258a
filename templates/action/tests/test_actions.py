import pytest

from plugin_sdk.testing import RunFailed


def test_a_note_is_kept_and_read_again(covel):
    assert covel.command("/note The door was open")["message"] == "Noted."
    assert covel.data("notes") == {"001": {"text": "The door was open"}}
    assert covel.command("/notes")["message"] == "1. The door was open"


def test_a_full_notebook_takes_no_more(covel):
    covel.put_data("notes", {f"{number:03}": {"text": "x"} for number in range(1, 51)})
    with pytest.raises(RunFailed, match="full"):
        covel.rpc("keep-note", {"text": ["One", "more"]})


def test_the_function_alone(covel):
    shown = covel.call_action("list-notes", {}, data={"notes": {"001": {"text": "Salt"}}})
    assert (shown.message, shown.count) == ("1. Salt", 1)
