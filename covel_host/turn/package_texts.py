"""A package's own texts, as its code gets them for a session."""

from covel_host.catalog.generation import Generation
from plugin_sdk.rules.i18n import matching_locale


def own_messages(generation: Generation, locale: str) -> dict[str, str]:
    """The package's translations for a reader of `locale`, by English text; a copy."""
    found = matching_locale(generation.translations, locale)
    return {} if found is None else dict(generation.translations[found])
