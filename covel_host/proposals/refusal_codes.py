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
        "reserved-namespace": "A namespace that begins with `_`; a package's function code may "
        "write `_hidden.<namespace>` of a namespace that it declares.",
        "value-too-large": "A record over 262,144 bytes of JSON.",
        "dataset-policy": "A write to a data set's namespace that the data set does not allow: an "
        "operation that is not among its `ops`, or a record that does not fit its schema.",
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

COMMIT_CODES: Mapping[str, str] = MappingProxyType(
    {
        "export-schema-missing": "A run records its output under `recordAs`, but its output schema "
        "was not captured when it started. Everything is rolled back.",
        "proposal-vetoed": "A `pre_state_commit` hook kept a proposal from being committed; the "
        "message has its reason.",
        "upstream-dropped": "A run rests on one that was left out of the commit: a need, a "
        "required input, or the events it follows. It falls with it.",
        "export-invalid": "An export that JSON cannot store, or that does not fit its schema. Only "
        "the export is lost.",
        "value-too-large": "An export over 262,144 bytes of JSON. Only the export is lost.",
    }
)
"""Codes that a commit gives besides those of its proposals."""
