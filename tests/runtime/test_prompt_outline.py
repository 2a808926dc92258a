"""The outline of a prompt: which sections its texts still have, and what else."""

from hypothesis import given
from hypothesis import strategies as st

from covel_host.models.messages import SystemMessage, UserMessage
from covel_host.runtime.prompt_inputs import PromptMessage, PromptParts, Section
from covel_host.runtime.prompt_outline import PromptOutline, section_tokens
from plugin_sdk.rules.tokens import estimate_tokens

BODY, TONE = Section("body", "Tell the tale."), Section("segment a/tone", "Dryly.")


def test_sections_are_named_with_their_tokens_in_order() -> None:
    text = f"{BODY.text}\n\n{TONE.text}"
    assert section_tokens(text, (BODY, TONE)) == [
        ["body", estimate_tokens(BODY.text)],
        ["segment a/tone", estimate_tokens(TONE.text)],
    ]


def test_what_a_hook_wrote_is_the_rest_and_what_it_took_is_gone() -> None:
    text = f"{BODY.text}\n\nMind the tide."
    assert section_tokens(text, (BODY, TONE)) == [
        ["body", estimate_tokens(BODY.text)],
        ["rest", estimate_tokens("Mind the tide.")],
    ]


def test_without_sections_all_is_the_rest() -> None:
    assert section_tokens("Tell.", ()) == [["rest", estimate_tokens("Tell.")]]
    assert section_tokens("", (BODY,)) == []


def test_origins_are_counted_as_they_follow_each_other() -> None:
    messages = (
        PromptMessage(UserMessage("a"), "history"),
        PromptMessage(UserMessage("b"), "history"),
        PromptMessage(SystemMessage("<a/>"), "turn-context"),
        PromptMessage(UserMessage("c"), "input"),
        PromptMessage(UserMessage("d"), "history"),
    )
    parts = PromptParts("Tell.", messages, (Section("body", "Tell."),), (Section("a", "<a/>"),))
    assert PromptOutline(parts).to_json() == {
        "origins": [
            ["system", 1],
            ["history", 2],
            ["turn-context", 1],
            ["input", 1],
            ["history", 1],
        ],
        "system": [["body", 2]],
        "turnContext": [["a", 3]],
    }


@given(st.lists(st.text(st.sampled_from("ab \n"), max_size=8), max_size=6))
def test_a_text_of_its_sections_has_no_rest(texts: list[str]) -> None:
    sections = tuple(Section(str(number), text) for number, text in enumerate(texts))
    names = [pair[0] for pair in section_tokens("\n\n".join(texts), sections)]  # type: ignore[index]
    assert "rest" not in names
    assert names == [section.name for section in sections if section.text]
