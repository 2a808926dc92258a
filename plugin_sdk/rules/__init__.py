"""Every pure rule that host and authors share: functions without await, I/O or clock.

The host decides with these same functions. Names are loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugin_sdk.rules.character_fields import assert_character_fields as assert_character_fields
    from plugin_sdk.rules.character_fields import merge_schema_defaults as merge_schema_defaults
    from plugin_sdk.rules.character_names import resolve_character as resolve_character
    from plugin_sdk.rules.character_overlay import overlay_characters as overlay_characters
    from plugin_sdk.rules.data_ops import apply_data_ops as apply_data_ops
    from plugin_sdk.rules.dimension_updates import plan_dimension_updates as plan_dimension_updates
    from plugin_sdk.rules.dimensions import query_dimension_snapshot as query_dimension_snapshot
    from plugin_sdk.rules.excerpts import search_excerpt as search_excerpt
    from plugin_sdk.rules.i18n import label_text as label_text
    from plugin_sdk.rules.i18n import translate as translate
    from plugin_sdk.rules.keys import dataset_key as dataset_key
    from plugin_sdk.rules.keys import short_id as short_id
    from plugin_sdk.rules.keys import short_id_batch as short_id_batch
    from plugin_sdk.rules.keys import word_id as word_id
    from plugin_sdk.rules.model_facing import model_facing_json as model_facing_json
    from plugin_sdk.rules.narrative import fill_narrative_template as fill_narrative_template
    from plugin_sdk.rules.plugin_data import overlay_plugin_data_value as overlay_plugin_data_value
    from plugin_sdk.rules.ranking import rank_texts as rank_texts
    from plugin_sdk.rules.terms import search_terms as search_terms
    from plugin_sdk.rules.tokens import estimate_tokens as estimate_tokens

_HOME_OF = {
    "apply_data_ops": "data_ops",
    "assert_character_fields": "character_fields",
    "dataset_key": "keys",
    "estimate_tokens": "tokens",
    "fill_narrative_template": "narrative",
    "label_text": "i18n",
    "merge_schema_defaults": "character_fields",
    "model_facing_json": "model_facing",
    "overlay_characters": "character_overlay",
    "overlay_plugin_data_value": "plugin_data",
    "plan_dimension_updates": "dimension_updates",
    "query_dimension_snapshot": "dimensions",
    "rank_texts": "ranking",
    "resolve_character": "character_names",
    "search_excerpt": "excerpts",
    "search_terms": "terms",
    "short_id": "keys",
    "short_id_batch": "keys",
    "translate": "i18n",
    "word_id": "keys",
}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> object:
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
