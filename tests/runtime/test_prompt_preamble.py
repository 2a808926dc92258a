"""The framework preamble in both languages and all wordings."""

import pytest

from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.prompt_inputs import PromptRuntime
from covel_host.runtime.prompt_preamble import language_name, preamble, with_preamble

RUNTIME = PromptRuntime("moss", "moss/gather")


def text_of(completion: CompletionSettings, **options: object) -> str:
    return preamble(RUNTIME, completion, content_locale="en", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_a_story_hears_nothing_of_runtime_done(locale: str) -> None:
    completion = CompletionSettings(visibility="story", locale=locale)  # type: ignore[arg-type]
    assert "runtime-done" not in text_of(completion)


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_a_runtime_with_an_output_schema_is_told_the_schema(locale: str) -> None:
    completion = CompletionSettings(has_output_schema=True, locale=locale)  # type: ignore[arg-type]
    text = text_of(completion, output_schema={"type": "object"})
    assert '{"type":"object"}' in text
    assert "runtime-done" not in text


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_a_runtime_that_ends_through_a_tool_is_told_the_tool(locale: str) -> None:
    completion = CompletionSettings(
        require="tool-use",
        after_tools=("sync",),
        locale=locale,  # type: ignore[arg-type]
    )
    text = text_of(completion)
    assert "`sync`" in text
    assert "runtime-done" not in text


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_every_other_runtime_is_told_of_runtime_done(locale: str) -> None:
    completion = CompletionSettings(after_tools=("a", "b"), locale=locale)  # type: ignore[arg-type]
    text = text_of(completion)
    assert "`runtime-done`" in text
    assert "`a`" in text
    assert "`b`" in text
    assert "`runtime-done`" in text_of(CompletionSettings(locale=locale))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content_locale", "english", "chinese"),
    [
        ("zh-CN", "Simplified Chinese", "简体中文"),
        ("zh_TW", "Traditional Chinese", "繁体中文"),
        ("zh-Hans-HK", "Simplified Chinese", "简体中文"),
        ("ru-RU", "Russian", "俄语"),
        ("eo", "eo", "eo"),
    ],
)
def test_the_language_directive_names_the_content_language(
    content_locale: str, english: str, chinese: str
) -> None:
    assert language_name(content_locale, "en") == english
    assert language_name(content_locale, "zh") == chinese


def test_a_rewritten_system_prompt_gets_its_preamble_back() -> None:
    assert with_preamble("Be brief.", "PREAMBLE") == "PREAMBLE\n\nBe brief."
    assert with_preamble("PREAMBLE\n\nBe brief.", "PREAMBLE") == "PREAMBLE\n\nBe brief."
    assert with_preamble("", "PREAMBLE") == "PREAMBLE"
