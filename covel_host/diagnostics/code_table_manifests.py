"""Codes of manifests (COV1xx, COV2xx) and of folders and layout (COV3xx)."""

from covel_host.diagnostics.code_info import error, warning

SHAPE = (
    error(
        "COV101",
        "unknown-field",
        "Every object of a manifest is strict: a field that is not listed is an error, so that a "
        "misspelt field is never silently without effect.",
    ),
    error(
        "COV102",
        "old-spelling",
        "The field had this name or place in an earlier format or is a name used only inside the "
        "host. The message names the current spelling.",
    ),
    error("COV103", "field-missing", "A required field is not written."),
    error(
        "COV104",
        "wrong-type",
        'The value has another type than the field. Values are never converted: `"6"` is a text '
        "and not a number, `no` is a text and not a truth value, `1.10` is a number and not a "
        "version.",
    ),
    error("COV105", "value-not-allowed", "The field takes one of a closed set of values."),
    error(
        "COV106",
        "text-malformed",
        "The text does not have the form of its field, such as an ID, a contract "
        "(`moss.tally@1`), an event topic (`moss.found`) or a package-relative path.",
    ),
    error("COV107", "text-length", "The text is shorter or longer than its field allows."),
    error("COV108", "number-out-of-range", "The number is below or above the field's limits."),
    error("COV109", "item-count", "The list or map has fewer or more items than allowed."),
    error("COV110", "duplicate-item", "The list holds one value twice where each counts once."),
    error(
        "COV111",
        "one-form-of-several",
        "The value can be written in several forms, and exactly one of them has to be chosen, "
        "such as one of `runtime`, `contract` and `kernel` for the source of an input.",
    ),
    error(
        "COV112",
        "id-malformed",
        "The ID of a package is the name of its folder: lowercase letters, digits and hyphens, "
        "starting with a letter. It is the key of all its data, so it cannot be bent later.",
    ),
    error(
        "COV113",
        "id-mismatch",
        "The ID comes from the folder. Writing `id` is optional, and what is written has to equal "
        "the folder's name.",
    ),
    error(
        "COV114",
        "role-tag",
        "Tags that start with `role:` were replaced by contracts: state what a package does under "
        "`provides`.",
    ),
    error(
        "COV115",
        "link-refused",
        "Links are `https://` addresses with a host, without user name or password, of at most "
        "2,048 characters. The player confirms the full address before it opens.",
    ),
    error(
        "COV116",
        "host-range-malformed",
        "`covel` is a list of comparators separated by spaces, such as `>=0.1.0 <1.0.0`. Carets, "
        "tildes and alternatives are not read.",
    ),
    error(
        "COV117",
        "reserved-name",
        "The name, or its beginning, belongs to the host, so that nothing of a package can pass "
        "for something of the host.",
    ),
    error(
        "COV118",
        "variadic-not-last",
        "A variadic argument of a command takes everything that is left on the line, so it comes "
        "last.",
    ),
    error(
        "COV119",
        "authoring-without-accepts",
        "`authoring` tells world authors how to write records for a namespace. Only a namespace "
        "that accepts a contract takes world data.",
    ),
    error(
        "COV120",
        "generation-not-possible",
        "Records can be generated for world authors when there is an example to follow and a "
        "public, non-media source keyed by `id` to write to.",
    ),
    error(
        "COV121",
        "too-many-problems",
        "At most 200 problems of shape are listed for one file; the rest is counted.",
    ),
)


REFERENCES = (
    error(
        "COV201",
        "invalid-conflict",
        "`conflicts` names plugin contracts. The host's own extension points and UI slots cannot "
        "be conflicted with; they have their own rules for several implementers.",
    ),
    error(
        "COV202",
        "path-outside-package",
        "Every path, symbolic links followed, stays inside the package. A package that reads "
        "beyond its folder cannot be moved, installed or trusted.",
    ),
)


LAYOUT = (
    error(
        "COV301",
        "root-manifest-missing",
        "A package has a `PLUGIN.md` at its root, also when its runtimes lie in `runtimes/`.",
    ),
    error(
        "COV302",
        "runtime-manifest-misnamed",
        "A folder of `runtimes/` describes its runtime in `RUNTIME.md`. `PLUGIN.md` is the name "
        "of the package's root manifest alone.",
    ),
    error(
        "COV303",
        "inline-runtime-beside-runtimes",
        "A package has either one runtime in its root manifest or runtimes in `runtimes/`, never "
        "both.",
    ),
    warning(
        "COV304",
        "duplicate-package",
        "The first package found with an ID wins; the bundled folder comes first, then folders "
        "named on the command line, then the user folder. The later one is not loaded.",
    ),
    warning(
        "COV305",
        "dangling-link",
        "A symbolic link in a plugin folder leads nowhere and is skipped.",
    ),
    warning(
        "COV306",
        "folder-unreadable",
        "A folder could not be listed. The other folders and packages are used.",
    ),
    error(
        "COV307",
        "manifest-file-case",
        "Manifest files are called `PLUGIN.md` and `RUNTIME.md`, in this case. A file system that "
        "ignores case hides the mistake until the package is used on another one.",
    ),
)
