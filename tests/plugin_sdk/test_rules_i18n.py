"""Texts of plugin code in the languages the plugin carries."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugin_sdk.rules.i18n import label_text, matching_locale, resolve_i18n_text, translate

CHINESE = {"You roll {n}.": "你掷出 {n}。", "Done": "完成"}


def context(**members: Any) -> SimpleNamespace:
    return SimpleNamespace(**members)


def test_a_text_is_translated_and_filled() -> None:
    ctx = context(locale="zh-CN", messages=CHINESE)
    assert translate(ctx, "You roll {n}.", {"n": 4}) == "你掷出 4。"


@pytest.mark.parametrize("messages", [None, {}, {"Done": None}, {"label|Done": "完成"}])
def test_without_a_translation_the_english_text_is_used(messages: Any) -> None:
    assert translate(context(locale="zh", messages=messages), "Done") == "Done"


def test_a_context_without_messages_gives_the_english_text() -> None:
    assert translate(object(), "You roll {n}.", {"n": 2}) == "You roll 2."


def test_a_mapping_serves_as_context() -> None:
    assert translate({"locale": "zh", "messages": CHINESE}, "Done") == "完成"


def test_values_are_inserted_once_and_unknown_placeholders_stay() -> None:
    text = translate(context(), "{a} {b} {c d}", {"a": "{b}", "b": "x"})
    assert text == "{b} x {c d}"


def test_a_label_has_english_and_every_translation() -> None:
    ctx = context(
        locale="zh",
        messages=CHINESE,
        translations={"zh-CN": CHINESE, "ru": {"Done": "Готово"}, "fr": {}},
    )
    assert label_text(ctx, "Done") == {"en": "Done", "zh-CN": "完成", "ru": "Готово"}


def test_a_label_falls_back_to_the_one_language_of_the_context() -> None:
    assert label_text(context(locale="zh", messages=CHINESE), "Done") == {
        "en": "Done",
        "zh": "完成",
    }
    assert label_text(object(), "Done") == {"en": "Done"}


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("zh_cn", "简"),
        ("zh", "简"),
        ("zh-Hant", "en"),
        ("zh-TW", "en"),
        ("ru-RU", "ru"),
        ("fr", "en"),
        (None, "简"),
    ],
)
def test_a_text_map_resolves_to_one_text(locale: str | None, text: str) -> None:
    texts = {"zh-CN": "简", "en-US": "en", "ru": "ru"}
    assert resolve_i18n_text(texts, locale) == text


def test_the_language_alone_goes_before_its_regions() -> None:
    assert resolve_i18n_text({"en-AU": "au", "en": "en"}, "en-GB") == "en"


def test_a_plain_or_empty_text_resolves_to_itself() -> None:
    assert resolve_i18n_text("Hull", "zh") == "Hull"
    assert resolve_i18n_text({}, "zh") == ""


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=3)), st.text(min_size=1, max_size=8))
def test_the_exact_locale_always_wins(texts: dict[str, str], locale: str) -> None:
    others = {
        key: text
        for key, text in texts.items()
        if key.replace("_", "-").lower() != locale.replace("_", "-").lower()
    }
    assert resolve_i18n_text({**others, locale: "exact"}, locale) == "exact"


@pytest.mark.parametrize(
    ("available", "locale", "found"),
    [
        (["de", "zh"], "zh", "zh"),
        (["de", "zh"], "zh-CN", "zh"),
        (["zh-CN"], "zh_cn", "zh-CN"),
        (["zh-Hant"], "zh-CN", None),
        (["pt-BR"], "pt-PT", "pt-BR"),
        (["de"], "fr", None),
        ([], "en", None),
    ],
)
def test_a_reader_is_served_by_the_nearest_locale(
    available: list[str], locale: str, found: str | None
) -> None:
    assert matching_locale(available, locale) == found
