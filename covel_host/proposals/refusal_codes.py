"""Every code with which a proposal is refused, and when."""

from collections.abc import Mapping
from types import MappingProxyType

from plugin_sdk.rules.data_ops import DATA_OP_TOOL_CODES

REFUSAL_CODES: Mapping[str, str] = MappingProxyType(
    {
        "proposal-invalid": "The type is unknown, the payload does not fit its type, JSON cannot "
        "store it, or it breaks a rule of its type: a character's type, fields, name or aliases, "
        "a form's fields, a dimension's definition or value, a settlement without its source.",
        "not-found": "A patch of a character, or an update of a dimension, that does not exist.",
        "reserved-namespace": "A namespace that begins with `_`.",
        "value-too-large": "A record over 262,144 bytes of JSON.",
        "media-not-found": "A media reference to an asset that is not stored.",
        "media-reference-forbidden": "A media reference to an asset that the session neither owns "
        "nor has a reference to.",
        "media-reference-mismatch": "A media reference whose type or size is not the asset's.",
        "dimension-provider-required": "A dimension proposal of a package that is not the "
        "session's dimension provider.",
        "dimension-definition-conflict": "A dimension that was adopted with another definition.",
        "dimension-version-conflict": "A dimension changed since it was read; the message names "
        "its current version. Nothing of the batch is written.",
        "dimension-already-settled": "A narrative whose receipt is final.",
        **dict.fromkeys(
            DATA_OP_TOOL_CODES,
            "An operation of `plugin.data.update` that is badly written or does not fit its "
            "record.",
        ),
    }
)
"""Codes of `ProposalRefused`, in the order of the checks."""
