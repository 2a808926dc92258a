"""The stable codes, by family: what each means and why the rule is there.

Numbers are never reused or renumbered. COV0xx: the file and its YAML; COV1xx: the shape of a
manifest; COV2xx: references and rules across fields; COV3xx: folders and layout; COV4xx: loading
and running a package's code. A documentation text says what the rule protects and how a manifest
that meets it looks; `covel explain` prints it.
"""

from dataclasses import dataclass

from covel_host.diagnostics.diagnostic import Severity


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """One kind of problem; `since` is the host version that first reported it."""

    code: str
    name: str
    severity: Severity
    blocks_loading: bool
    since: str
    documentation: str


def _error(code: str, name: str, documentation: str, *, since: str = "0.1.0") -> CodeInfo:
    return CodeInfo(code, name, "error", True, since, documentation)


def _warning(code: str, name: str, documentation: str, *, since: str = "0.1.0") -> CodeInfo:
    return CodeInfo(code, name, "warning", False, since, documentation)


def _info(code: str, name: str, documentation: str, *, since: str = "0.1.0") -> CodeInfo:
    return CodeInfo(code, name, "info", False, since, documentation)


FILES = (
    _error(
        "COV001",
        "file-unreadable",
        "The operating system refused to read the file: missing rights, a folder in its place, or "
        "a failing disk. The message carries the system's reason.",
    ),
    _error(
        "COV002",
        "file-too-large",
        "A manifest file has at most 10 MB. The limit keeps one file from holding up the reading "
        "of all packages; large data belongs in files of its own.",
    ),
    _error(
        "COV003",
        "file-not-utf8",
        "Manifests are UTF-8 text. The message names the first byte that is not. Files saved as "
        "UTF-16 or in a local code page need to be saved again as UTF-8.",
    ),
    _error(
        "COV010",
        "frontmatter-missing",
        "A manifest starts with its frontmatter: a first line of three dashes, the fields as YAML, "
        "and a closing line of three dashes. Nothing may stand before the first line except a "
        "byte-order mark.",
    ),
    _error(
        "COV011",
        "frontmatter-unclosed",
        "The frontmatter was opened with three dashes and never closed, so the end of the fields "
        "and the start of the body are unknown.",
    ),
    _error(
        "COV012",
        "frontmatter-engine-marker",
        "A word after the opening dashes, such as `---js`, asks some readers to run the block as "
        "code. Metadata is YAML and never code, so every marker is refused before parsing.",
    ),
    _error(
        "COV013",
        "frontmatter-not-a-map",
        "The frontmatter holds fields, `name: value`. A list, a number or a single text has no "
        "fields.",
    ),
)

YAML = (
    _error(
        "COV020",
        "yaml-syntax",
        "The frontmatter is not valid YAML. The place is where the parser could not go on; the "
        "cause is often a quote or bracket on a line above.",
    ),
    _error(
        "COV021",
        "yaml-unquoted-colon",
        "A colon followed by a space starts a nested map in YAML. A value that holds ': ' needs "
        'quotes: `description: "Herbs: a list"`.',
    ),
    _error(
        "COV022",
        "yaml-tab",
        "YAML indents with spaces only. Editors that insert tabs need to be told so for `.md` "
        "and `.yaml` files.",
    ),
    _error(
        "COV023",
        "yaml-duplicate-key",
        "A key stands once in a map. Many readers silently keep the last of two equal keys; here "
        "both places are shown.",
    ),
    _error(
        "COV024",
        "yaml-key-not-text",
        "Keys are texts. `42:` or `true:` is a number or a truth value, and `? [a]` a list; in "
        "quotes they become texts.",
    ),
    _error(
        "COV025",
        "yaml-tag",
        "Tags such as `!!python/name` or `!env` make readers build special values. Manifests hold "
        "plain values only.",
    ),
    _error(
        "COV026",
        "yaml-too-deep",
        "Values nest at most 64 levels deep. Real manifests stay below ten.",
    ),
    _error(
        "COV027",
        "yaml-too-large",
        "A text has at most 20,000 values, counted after aliases are written out. A few lines of "
        "nested aliases can stand for millions of values.",
    ),
    _error(
        "COV028",
        "yaml-unknown-alias",
        "`*name` stands for the value marked `&name` earlier in the same text, and no such mark "
        "was written.",
    ),
    _error(
        "COV029",
        "yaml-recursive-alias",
        "An alias inside the value it refers to describes a value without end.",
    ),
    _error(
        "COV030",
        "yaml-control-character",
        "YAML excludes most control characters and the byte-order mark inside a text. They are "
        "invisible in editors and come from copying or broken tools.",
    ),
    _error(
        "COV031",
        "yaml-number",
        "Values end up as JSON, which has no infinity and no not-a-number, and a number of more "
        "than 1,000 characters is a mistake.",
    ),
    _error(
        "COV032",
        "yaml-several-documents",
        "One frontmatter is one YAML document. A line `--- text` or `...` starts another one.",
    ),
    _error(
        "COV033",
        "yaml-merge",
        "The merge key `<<` takes the members of a map, or of a list of maps, into the map around "
        "it.",
    ),
)

SHAPE = (
    _error(
        "COV101",
        "unknown-field",
        "Every object of a manifest is strict: a field that is not listed is an error, so that a "
        "misspelt field is never silently without effect.",
    ),
    _error(
        "COV102",
        "old-spelling",
        "The field had this name or place in an earlier format or is a name used only inside the "
        "host. The message names the current spelling.",
    ),
    _error("COV103", "field-missing", "A required field is not written."),
    _error(
        "COV104",
        "wrong-type",
        'The value has another type than the field. Values are never converted: `"6"` is a text '
        "and not a number, `no` is a text and not a truth value, `1.10` is a number and not a "
        "version.",
    ),
    _error("COV105", "value-not-allowed", "The field takes one of a closed set of values."),
    _error(
        "COV106",
        "text-malformed",
        "The text does not have the form of its field, such as an ID, a contract "
        "(`moss.tally@1`), an event topic (`moss.found`) or a package-relative path.",
    ),
    _error("COV107", "text-length", "The text is shorter or longer than its field allows."),
    _error("COV108", "number-out-of-range", "The number is below or above the field's limits."),
    _error("COV109", "item-count", "The list or map has fewer or more items than allowed."),
    _error("COV110", "duplicate-item", "The list holds one value twice where each counts once."),
    _error(
        "COV111",
        "one-form-of-several",
        "The value can be written in several forms, and exactly one of them has to be chosen, "
        "such as one of `runtime`, `contract` and `kernel` for the source of an input.",
    ),
    _error(
        "COV112",
        "id-malformed",
        "The ID of a package is the name of its folder: lowercase letters, digits and hyphens, "
        "starting with a letter. It is the key of all its data, so it cannot be bent later.",
    ),
    _error(
        "COV113",
        "id-mismatch",
        "The ID comes from the folder. Writing `id` is optional, and what is written has to equal "
        "the folder's name.",
    ),
    _error(
        "COV114",
        "role-tag",
        "Tags that start with `role:` were replaced by contracts: state what a package does under "
        "`provides`.",
    ),
    _error(
        "COV115",
        "link-refused",
        "Links are `https://` addresses with a host, without user name or password, of at most "
        "2,048 characters. The player confirms the full address before it opens.",
    ),
    _error(
        "COV116",
        "host-range-malformed",
        "`covel` is a list of comparators separated by spaces, such as `>=0.1.0 <1.0.0`. Carets, "
        "tildes and alternatives are not read.",
    ),
    _error(
        "COV117",
        "reserved-name",
        "The name, or its beginning, belongs to the host, so that nothing of a package can pass "
        "for something of the host.",
    ),
    _error(
        "COV118",
        "variadic-not-last",
        "A variadic argument of a command takes everything that is left on the line, so it comes "
        "last.",
    ),
    _error(
        "COV119",
        "authoring-without-accepts",
        "`authoring` tells world authors how to write records for a namespace. Only a namespace "
        "that accepts a contract takes world data.",
    ),
    _error(
        "COV120",
        "generation-not-possible",
        "Records can be generated for world authors when there is an example to follow and a "
        "public, non-media source keyed by `id` to write to.",
    ),
    _error(
        "COV121",
        "too-many-problems",
        "At most 200 problems of shape are listed for one file; the rest is counted.",
    ),
)

REFERENCES = (
    _error(
        "COV201",
        "invalid-conflict",
        "`conflicts` names plugin contracts. The host's own extension points and UI slots cannot "
        "be conflicted with; they have their own rules for several implementers.",
    ),
    _error(
        "COV202",
        "path-outside-package",
        "Every path, symbolic links followed, stays inside the package. A package that reads "
        "beyond its folder cannot be moved, installed or trusted.",
    ),
)

LAYOUT = (
    _error(
        "COV301",
        "root-manifest-missing",
        "A package has a `PLUGIN.md` at its root, also when its runtimes lie in `runtimes/`.",
    ),
    _error(
        "COV302",
        "runtime-manifest-misnamed",
        "A folder of `runtimes/` describes its runtime in `RUNTIME.md`. `PLUGIN.md` is the name "
        "of the package's root manifest alone.",
    ),
    _error(
        "COV303",
        "inline-runtime-beside-runtimes",
        "A package has either one runtime in its root manifest or runtimes in `runtimes/`, never "
        "both.",
    ),
    _warning(
        "COV304",
        "duplicate-package",
        "The first package found with an ID wins; the bundled folder comes first, then folders "
        "named on the command line, then the user folder. The later one is not loaded.",
    ),
    _warning(
        "COV305",
        "dangling-link",
        "A symbolic link in a plugin folder leads nowhere and is skipped.",
    ),
    _warning(
        "COV306",
        "folder-unreadable",
        "A folder could not be listed. The other folders and packages are used.",
    ),
    _error(
        "COV307",
        "manifest-file-case",
        "Manifest files are called `PLUGIN.md` and `RUNTIME.md`, in this case. A file system that "
        "ignores case hides the mistake until the package is used on another one.",
    ),
)

LOADING = (
    _error(
        "COV401",
        "entry-not-found",
        "The entry module named by `entry` is not a file of the package. Without `entry`, "
        "`server/index.py` is used when it exists.",
    ),
    _error(
        "COV402",
        "entry-import-failed",
        "The entry module, or a module it imports, raised an error while it was imported. The "
        "message names the exception and the file and line in the package.",
    ),
    _error(
        "COV403",
        "entry-timeout",
        "Importing the entry and asking its registration hooks took longer than 15 seconds. Work "
        "at import time belongs into `on_load` or into the first call.",
    ),
    _error(
        "COV404",
        "unknown-hook",
        "A function is marked as a hook and its name is none of the host's hooks, or it is named "
        "like a hook and not marked.",
    ),
    _error(
        "COV405",
        "registration-undeclared",
        "The entry registers something that the manifest does not declare under `contributes`.",
    ),
    _error(
        "COV406",
        "registration-missing",
        "The manifest declares something under `contributes` that the entry does not register.",
    ),
    _error("COV407", "registration-duplicate", "The entry registers one name twice."),
    _error(
        "COV408",
        "registration-reserved",
        "The name belongs to the framework. Packages choose other names, so that a model or a "
        "player never mistakes one for the other.",
    ),
    _error(
        "COV409",
        "registration-invalid",
        "What a registration hook returned, or the hook itself, does not have the shape it needs.",
    ),
    _error(
        "COV410",
        "not-supported-yet",
        "The package needs a part of the format that this host does not serve yet, and its code "
        "would wait for it in vain.",
    ),
    _info(
        "COV411",
        "not-served-yet",
        "The declaration is read and checked, and nothing of this host uses it yet. The rest of "
        "the package works.",
    ),
    _info(
        "COV412",
        "code-not-trusted",
        "The package brings code of its own, and nobody has granted it. Bundled packages are "
        "trusted; others need `--trust`, the setting `trusted`, or a grant in a session.",
    ),
    _error(
        "COV413",
        "host-version-unfit",
        "The host's version lies outside the range that the package states in `covel`.",
    ),
    _error(
        "COV414",
        "python-requirement-unmet",
        "The package states Python needs that this environment does not meet. The message names "
        "the command that installs them; nothing is installed unasked.",
    ),
    _error(
        "COV415",
        "load-hook-failed",
        "`on_load` raised an error, so the package was withdrawn again.",
    ),
    _error(
        "COV416",
        "schema-unusable",
        "A JSON Schema file that the manifest names is missing, is not JSON, or is not a schema "
        "the host can check values with. References stay inside the file, and patterns have no "
        "look-around.",
    ),
)

ALL_CODES = (*FILES, *YAML, *SHAPE, *REFERENCES, *LAYOUT, *LOADING)
