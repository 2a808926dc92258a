"""The world's own record, as `ctx.world.world_record` shows it, in one language."""

from typing import Any

from covel_host.worlds.reading import PackReading
from covel_host.worlds.world_manifest import LORE_FILE
from plugin_sdk.rules.i18n import matching_locale
from plugin_sdk.values import JsonObject

_METADATA = (
    "version",
    "author",
    "license",
    "homepage",
    "pluginSettings",
    "defaultViewMode",
    "cover",
    "accentColor",
    "themeMusic",
)


def world_record(reading: PackReading, locale: str) -> JsonObject:
    """`{id, name, description, lore, tags, locale, metadata}` for readers of `locale`.

    `metadata` holds what interfaces show of the world, `source` and its languages; `locale` is the
    language that the texts are in (spec/world.md 1.1).
    """
    manifest, file = reading.manifest, reading.file
    assert manifest is not None
    assert file is not None
    available = [manifest.default_locale, *reading.translated]
    tag = matching_locale(available, locale) or manifest.default_locale
    texts: Any = reading.translated.get(tag, file.value)
    lore = reading.translations.text(LORE_FILE, locale)
    written = manifest.model_dump(mode="json", by_alias=True, exclude_none=True)
    shown: JsonObject = {name: texts[name] for name in _METADATA if written.get(name)}
    return {
        "id": manifest.id,
        "name": texts.get("name", manifest.name),
        "description": texts.get("summary", manifest.summary),
        "lore": "" if lore is None else str(lore.value or "").strip(),
        "tags": list(manifest.tags),
        "locale": tag,
        "metadata": {
            "source": "file",
            "defaultLocale": manifest.default_locale,
            "supportedLocales": list(manifest.locales),
            **shown,
        },
    }
