"""A package's own texts, as its code gets them for a session (spec/i18n.md)."""

from collections.abc import Mapping
from typing import TypeAlias

from plugin_sdk.rules.i18n import matching_locale

Texts: TypeAlias = Mapping[str, Mapping[str, str]]
"""By locale, then by English text."""


def own_messages(texts: Texts, locale: str) -> dict[str, str]:
    """The texts for a reader of `locale`, by English text; a copy, empty where there are none."""
    found = matching_locale(texts, locale)
    return {} if found is None else dict(texts[found])


def own_translations(texts: Texts) -> dict[str, dict[str, str]]:
    """The texts of all locales; a copy."""
    return {locale: dict(own) for locale, own in texts.items()}
