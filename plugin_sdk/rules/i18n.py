"""Texts that plugin code writes, in the languages the plugin carries (spec/i18n.md 4, 5.1).

The English text is the key, so it is a literal; its variable parts are `{name}` placeholders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from plugin_sdk.rules.instruction_locale import TRADITIONAL_REGIONS

I18nText: TypeAlias = str | Mapping[str, str]
"""A text, or one text per locale."""

FALLBACK_LOCALES = ("en",)

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def translate(context: object, text: str, params: Mapping[str, object] | None = None) -> str:
    """`text` in the session's content language, with `{name}` filled from `params`.

    Args:
        context: Any context object with `messages`, the plugin's translations into the session's
            language by English text; a mapping with that member serves too. Without them, or
            without a translation, the English text is used.
        text: The English text.
        params: Values by name; a placeholder without a value stays. Values are inserted as they
            are.
    """
    messages = _member(context, "messages")
    known = messages.get(text) if isinstance(messages, Mapping) else None
    return _fill(known if isinstance(known, str) else text, params)


def label_text(
    context: object, text: str, params: Mapping[str, object] | None = None
) -> dict[str, str]:
    """`text` in every language the plugin carries: `{"en": …, <locale>: …}`.

    For badges and names that only the interface draws; never for data that a model reads.

    Args:
        context: Any context object with `translations`, the plugin's messages by locale. Without
            them its one language (`locale`, `messages`) and English are given.
        text: The English text.
        params: Values for `{name}` placeholders, as for `translate`.
    """
    catalogs = _member(context, "translations")
    if not isinstance(catalogs, Mapping):
        catalogs = {str(_member(context, "locale") or "en"): _member(context, "messages")}
    texts = {"en": _fill(text, params)}
    for locale, messages in catalogs.items():
        if isinstance(messages, Mapping) and isinstance(messages.get(text), str):
            texts[str(locale)] = _fill(messages[text], params)
    return texts


def resolve_i18n_text(
    value: I18nText, locale: str | None, *, fallbacks: Sequence[str] = FALLBACK_LOCALES
) -> str:
    """The one text of `value` for `locale`.

    Order: the exact locale (letter case aside, `_` and `-` equal), the language alone, another
    region of the same language and script, the `fallbacks` in the same way, the first text. Without
    a locale the first text. Empty when there is none.
    """
    if isinstance(value, str):
        return value
    texts = {_locale_key(key): text for key, text in value.items() if isinstance(text, str)}
    for wanted in (locale, *fallbacks) if locale else ():
        if (found := _match(_locale_key(wanted), texts)) is not None:
            return texts[found]
    return next(iter(texts.values()), "")


def matching_locale(available: Iterable[str], locale: str) -> str | None:
    """Which of `available` serves a reader of `locale`, or None.

    The exact locale (letter case aside, `_` and `-` equal), else the language alone, else another
    region of the same language and script.
    """
    by_key = {_locale_key(name): name for name in available}
    found = _match(_locale_key(locale), dict.fromkeys(by_key, ""))
    return None if found is None else by_key[found]


def _match(wanted: str, available: Mapping[str, str]) -> str | None:
    if wanted in available:
        return wanted
    family = _language_and_script(wanted)
    relatives = [key for key in available if _language_and_script(key) == family]
    # The language alone goes before its regions.
    return min(relatives, key=lambda key: "-" in key, default=None)


def _locale_key(locale: str) -> str:
    return locale.replace("_", "-").lower()


def _language_and_script(locale: str) -> tuple[str, str]:
    language, *subtags = locale.split("-")
    script = next((part for part in subtags if len(part) == 4 and part.isalpha()), "")
    if language == "zh" and not script:
        script = "hans" if TRADITIONAL_REGIONS.isdisjoint(subtags) else "hant"
    return language, script


def _member(context: object, name: str) -> object:
    return context.get(name) if isinstance(context, Mapping) else getattr(context, name, None)


def _fill(text: str, params: Mapping[str, object] | None) -> str:
    if not params:
        return text
    return _PLACEHOLDER.sub(
        lambda match: str(params[match[1]]) if match[1] in params else match[0], text
    )
