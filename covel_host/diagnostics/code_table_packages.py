"""Codes of rules on a whole package: contributions, files and code (COV20x, COV25x-COV27x)."""

from covel_host.diagnostics.code_info import error, warning

FILE_RULES = (
    error(
        "COV203",
        "file-not-found",
        "A file that a manifest names does not exist. Paths in `PLUGIN.md` start from the package, "
        "paths in a `RUNTIME.md` from the folder of the runtime; letter case counts.",
    ),
    error(
        "COV204",
        "json-syntax",
        "A schema, an example or a UI spec ending in `.json` is JSON: names and texts in double "
        "quotes, no comments, no comma after the last item.",
    ),
    error(
        "COV205",
        "json-too-large",
        "A JSON file of a package has at most 1 MB, 20,000 values and 64 levels. The limits keep "
        "one file from holding up the host.",
    ),
    error(
        "COV206",
        "python-syntax",
        "A module that a manifest names, or that the entry imports from the package, is not Python "
        "that this interpreter can read.",
    ),
    warning(
        "COV207",
        "ui-spec-unfit",
        "A UI spec is a JSON object. A panel on the right has a `view` or a `webview`, and shows "
        "nothing without one.",
    ),
    warning(
        "COV208",
        "function-not-found",
        "A handler's module has a function `handle`, a guard's module a function `guard`. Loading "
        "looks for it and refuses the package without it.",
    ),
    warning(
        "COV209",
        "registration-not-seen",
        "The manifest declares a contribution of code, and nothing in the entry registers it. "
        "Loading compares both sides and refuses the package when they differ.",
    ),
)

CONTRIBUTION_RULES = (
    error(
        "COV250",
        "static-prompt-by-hand",
        "The host itself registers the segments of `contributes.prompt`, as the extension "
        "`static-prompt` of `prompt.segment@1`, so the name is taken.",
    ),
    error(
        "COV251",
        "contract-schema-ambiguous",
        "Two namespaces of the package take the same contract with different schemas, so "
        "`contracts.<id>` has to say which schema is the public one.",
    ),
    error(
        "COV252",
        "extension-slot-missing",
        "An implementation of `ui.slot@1` says with `slot` which place of the interface it fills.",
    ),
    warning(
        "COV253",
        "extension-point-unknown",
        "The host asks implementations of its own extension points and UI slots only; one under "
        "another name is never asked.",
    ),
    error(
        "COV254",
        "dataset-undeclared",
        "A runtime gets tools for the data sets of its package, which `contributes.datasets` "
        "declares.",
    ),
    error(
        "COV255",
        "dataset-tool-not-offered",
        "A data set offers the tools listed in its `tools`, else those that follow from its `ops`: "
        "always `get` and `list`, `upsert` with the operation `set`, `update` with any other one.",
    ),
    error(
        "COV256",
        "dataset-name-too-long",
        "Generated tool names have at most 64 characters and `-upsert` takes seven, so a data set "
        "that a runtime uses has a name of at most 57.",
    ),
    error(
        "COV257",
        "tool-name-clash",
        "Within one runtime every tool has a name of its own. Framework tools, the tools of the "
        "package, generated data set tools and imported services share one set of names.",
    ),
    error("COV258", "dataset-listed-twice", "A runtime lists each data set once."),
    error(
        "COV259",
        "datasets-on-function",
        "Data set tools are for agents. A function runtime reads and writes its data through "
        "`ctx.plugin_data`.",
    ),
    error(
        "COV260",
        "dataset-named-like-namespace",
        "A data set is also the data namespace of its name, so `contributes.data` cannot declare "
        "it a second time.",
    ),
    error(
        "COV261",
        "dataset-without-schema",
        "A data set needs a record schema: a JSON file, or a record model that the entry "
        "registers.",
    ),
    error(
        "COV262",
        "dataset-key-unfit",
        "`key` names the top-level text field of a record that holds its key. A record without "
        "such a field could never be stored.",
    ),
    error(
        "COV263",
        "service-name-too-long",
        "An imported service becomes a tool named after its contract, without the version and with "
        "hyphens for dots. A tool name has at most 64 characters; `as` gives another one.",
    ),
    error("COV264", "service-imported-twice", "A runtime imports a contract once."),
    warning(
        "COV265",
        "repeated-item",
        "The list names something twice. The second time changes nothing.",
    ),
    error(
        "COV266",
        "python-need-malformed",
        "`python.requires` is a version range such as `>=3.11`, and each dependency a requirement "
        "as pip reads it, such as `httpx>=0.27`.",
    ),
    warning(
        "COV267",
        "setting-default-unfit",
        "The default of a setting is a value the player could choose: a number for numbers within "
        "their limits, true or false for a toggle, one of the options for a selection.",
    ),
    warning(
        "COV268",
        "search-field-unfit",
        "Archival search reads the top-level text field that `search.text` names. A record without "
        "a text there is not found.",
    ),
    warning(
        "COV269",
        "example-unfit",
        "Authoring tools show the example and check it against the schema of its namespace.",
    ),
    warning(
        "COV270",
        "own-namespace-unknown",
        "The namespace is none that the package declares under `contributes.data` or "
        "`contributes.datasets`, so it is probably misspelt.",
    ),
    warning(
        "COV271",
        "kernel-contract-provided",
        "Extension points and UI slots are implemented in `contributes.extensions`. Listing one "
        "under `provides` satisfies nobody.",
    ),
    error(
        "COV272",
        "tool-definition",
        "The options of a `@tool` contradict each other or are out of range, so the decorator "
        "raises when the module is imported.",
    ),
    error(
        "COV273",
        "webview-unusable",
        "The `entry` of a webview is an `.html` file inside the package of at most 512 KB. It runs "
        "in a frame without network, so it brings all it needs.",
    ),
)
