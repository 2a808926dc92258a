"""Every rule on packages in one list, for reference pages and for looking one up."""

from dataclasses import dataclass
from typing import Any, Final

from covel_host.manifest.rules import (
    fields,
    inline_texts,
    label_files,
    messages,
    named_code,
    named_files,
    record_schemas,
    registrations,
    template_variables,
    ui_specs,
    variants,
)
from covel_host.manifest.rules.rule import Rule


@dataclass(frozen=True, slots=True)
class ReadRule:
    """A rule that reading a file obeys by itself, by the form of fields or the layout of folders.

    `names` are the kinds of problem it is reported as.
    """

    stated: str
    says: str
    names: tuple[str, ...]


READ_RULES: Final = (
    ReadRule("6.1.1", "Objects have no unknown fields.", ("unknown-field", "old-spelling")),
    ReadRule(
        "6.1.2",
        "`description` is written and not empty.",
        ("field-missing", "text-length", "wrong-type"),
    ),
    ReadRule("6.1.3", "The ID is the folder's name.", ("id-malformed", "id-mismatch")),
    ReadRule("6.1.4", "No tag begins with `role:`.", ("role-tag",)),
    ReadRule("6.1.5", "`conflicts` names contracts of plugins.", ("invalid-conflict",)),
    ReadRule("6.1.6", "Contracts have the form `name@version`.", ("text-malformed",)),
    ReadRule("6.1.7", "`authoring` stands beside `accepts`.", ("authoring-without-accepts",)),
    ReadRule("6.1.8", "`generate` has an example and a source.", ("generation-not-possible",)),
    ReadRule("6.1.9", "Links are https, without credentials.", ("link-refused",)),
    ReadRule("6.1.10", "`covel` is a comparator list.", ("host-range-malformed",)),
    ReadRule(
        "6.1.11",
        "An inline runtime has no `runtimes/` beside it.",
        ("inline-runtime-beside-runtimes",),
    ),
    ReadRule(
        "6.1.12",
        "Manifests are called `PLUGIN.md` and `RUNTIME.md`.",
        ("runtime-manifest-misnamed", "root-manifest-missing", "manifest-file-case"),
    ),
    ReadRule("6.1.13", "Frontmatter has no engine marker.", ("frontmatter-engine-marker",)),
    ReadRule(
        "6.2.12",
        "Options of detached runs are written inside `detached`, so never without it.",
        ("old-spelling", "unknown-field"),
    ),
    ReadRule(
        "6.2.19",
        "Effects and HTTP methods are listed once, resources and origins well-formed.",
        ("duplicate-item", "text-malformed"),
    ),
    ReadRule("6.2.23", "`tools.local` is no field.", ("old-spelling",)),
    ReadRule(
        "6.3.11",
        "`entry` is a file of the package.",
        ("entry-not-found", "path-outside-package"),
    ),
    ReadRule("6.4", "`function.tools` has no `datasets`.", ("unknown-field",)),
    ReadRule("6.5", "`as` is a tool name.", ("text-malformed", "text-length")),
)
"""Rules of the catalogue (spec/manifest.md 6) that need no rule object."""

LOADING_RULES: Final[tuple[Rule[Any], ...]] = (
    *fields.ROOT_RULES,
    *fields.RUNTIME_RULES,
    *fields.PACKAGE_RULES,
)
"""Rules that reading a package runs, and loading therefore obeys."""

FILE_RULES: Final[tuple[Rule[Any], ...]] = (
    *named_files.RULES,
    *record_schemas.RULES,
    *ui_specs.RULES,
    *named_code.MODULE_RULES,
    *named_code.NAMED_RULES,
    *registrations.ENTRY_RULES,
    *registrations.MODULE_RULES,
)
"""Rules on the files that manifests name."""

TEXT_RULES: Final[tuple[Rule[Any], ...]] = (
    *inline_texts.MANIFEST_RULES,
    *inline_texts.UI_RULES,
    *label_files.PACKAGE_RULES,
    *label_files.RULES,
    *messages.RULES,
    *variants.PACKAGE_RULES,
    *variants.VARIANT_RULES,
    *variants.BODY_RULES,
    *template_variables.RULES,
)
"""Rules on translations and prompt bodies, for the validator alone."""

ALL_RULES: Final = (*LOADING_RULES, *FILE_RULES, *TEXT_RULES)
"""Every rule object."""
