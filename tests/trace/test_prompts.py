"""Parts of prompts: kept once, found again, small however long a history grows."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from covel_host.trace.log import TraceLog
from covel_host.trace.prompts import (
    MISSING_PART,
    PromptBook,
    SentPrompt,
    joined,
    part_names,
    prompt_names,
)
from plugin_sdk.testing import ManualClock


class Message:
    """Described as it is; two of them with one text are one part."""

    def __init__(self, text: str) -> None:
        self.text = text


def describe(item: Any) -> Any:
    return {"role": "user", "content": item.text}


def sent(messages: list[Message], **more: Any) -> SentPrompt:
    return SentPrompt(tuple(messages), (), describe=describe, **more)


@given(st.lists(st.text(max_size=20), max_size=80))
def test_a_prompt_is_read_back_as_it_was_sent(texts: list[str]) -> None:
    book = PromptBook(())
    members, parts = book.entered(sent([Message(text) for text in texts]))
    expected = [{"role": "user", "content": text} for text in texts]
    storable = [text.encode("utf-8", "replace").decode() for text in texts]
    assert storable == [one["content"] for one in joined(members["messages"], parts)]  # type: ignore[index,call-overload]
    assert len(expected) == members["messageCount"]


def test_what_is_repeated_is_kept_once_and_named_shortly() -> None:
    history = [Message(f"Message {number}: " + "x" * 400) for number in range(400)]
    book, size, references = PromptBook(()), 0, 0
    for turn in range(100, 400):
        members, parts = book.entered(sent(history[max(0, turn - 100) : turn]))
        size += sum(len(name) + len(text) for name, text in parts.items())
        references += len(str(members))
    once = sum(len(str(describe(one))) for one in history)
    assert size < 4 * once
    # A hundred names in each of three hundred calls would be ten times as much.
    assert references < 300 * 400


def test_two_prompts_share_their_parts() -> None:
    messages = [Message("a"), Message("b")]
    book = PromptBook(())
    first, new = book.entered(sent(messages))
    second, none = book.entered(sent(messages))
    assert (first, none) == (second, {})
    assert set(prompt_names(first)) <= set(new)
    assert {name for text in new.values() if text[0] == "[" for name in part_names(text)} <= {*new}


def test_a_part_that_is_gone_is_said_to_be() -> None:
    book = PromptBook(())
    members, parts = book.entered(sent([Message("a")]))
    [listed] = prompt_names(members)
    assert joined(members["messages"], {}) == [MISSING_PART]
    assert joined(members["messages"], {listed: parts[listed]}) == [MISSING_PART]


def test_secrets_and_hidden_texts_are_in_no_part() -> None:
    book = PromptBook(("hunter2-hunter2",))
    prompt = sent([Message("key hunter2-hunter2, plan the butler")], hidden=("the butler",))
    _, parts = book.entered(prompt)
    assert "hunter2" not in str(parts)
    assert "butler" not in str(parts)


def test_the_event_of_a_call_names_the_parts_and_a_concealed_run_has_none() -> None:
    log = TraceLog(turn_id="t1", clock=ManualClock())
    run = log.of_run("run-1", runtime_id="p/a", plugin_id="p")
    event = run.add_call(sent([Message("a")]), attempt=1)
    assert event.data["messageCount"] == 1
    assert set(prompt_names(event.data)) <= set(event.prompt_parts)
    log.conceal("run-1")
    event = run.add_call(sent([Message("secret")]), attempt=2)
    assert event.data == {"runtimeId": "p/a", "pluginId": "p", "concealed": True}
    assert event.prompt_parts == {}
