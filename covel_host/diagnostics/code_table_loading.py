"""Codes of loading and running a package's code (COV4xx)."""

from covel_host.diagnostics.code_info import error, info

LOADING = (
    error(
        "COV401",
        "entry-not-found",
        "The entry module named by `entry` is not a file of the package. Without `entry`, "
        "`server/index.py` is used when it exists.",
    ),
    error(
        "COV402",
        "entry-import-failed",
        "The entry module, or a module it imports, raised an error while it was imported. The "
        "message names the exception and the file and line in the package.",
    ),
    error(
        "COV403",
        "entry-timeout",
        "Importing the entry and asking its registration hooks took longer than 15 seconds. Work "
        "at import time belongs in `on_load` or in the first call.",
    ),
    error(
        "COV404",
        "unknown-hook",
        "A function is marked as a hook and its name is none of the host's hooks, or it is named "
        "like a hook and not marked.",
    ),
    error(
        "COV405",
        "registration-undeclared",
        "The entry registers something that the manifest does not declare under `contributes`.",
    ),
    error(
        "COV406",
        "registration-missing",
        "The manifest declares something under `contributes` that the entry does not register.",
    ),
    error("COV407", "registration-duplicate", "The entry registers one name twice."),
    error(
        "COV408",
        "registration-reserved",
        "The name belongs to the framework. Packages choose other names, so that a model or a "
        "player never mistakes one for the other.",
    ),
    error(
        "COV409",
        "registration-invalid",
        "What a registration hook returned, or the hook itself, does not have the shape it needs.",
    ),
    error(
        "COV410",
        "not-supported-yet",
        "The package needs a part of the format that this host does not serve yet, and its code "
        "would wait for it in vain.",
    ),
    info(
        "COV411",
        "not-served-yet",
        "The declaration is read and checked, and nothing of this host uses it yet. Where the rest "
        "of the package does not work without it, the hint says so.",
    ),
    info(
        "COV412",
        "code-not-trusted",
        "The package brings code of its own, and nobody has granted it. Bundled packages are "
        "trusted; others need `--trust`, the setting `trusted`, or a grant in a session.",
    ),
    error(
        "COV413",
        "host-version-unfit",
        "The host's version lies outside the range that the package states in `covel`.",
    ),
    error(
        "COV414",
        "python-requirement-unmet",
        "The package states Python needs that this environment does not meet. The message names "
        "the command that installs them; nothing is installed unasked.",
    ),
    error(
        "COV415",
        "load-hook-failed",
        "`on_load` raised an error, so the package was withdrawn again.",
    ),
    error(
        "COV416",
        "schema-unusable",
        "A JSON Schema file that the manifest names is missing, is not JSON, or is not a schema "
        "the host can check values with; or the schema of a record model is none. References stay "
        "inside the file, patterns have no look-around, and that of a data set is an object.",
    ),
    error(
        "COV417",
        "module-import-failed",
        "The module of a handler or guard, or a module it imports, raised an error while it was "
        "imported. The message names the exception and the file and line in the package.",
    ),
    error(
        "COV418",
        "runtime-function-invalid",
        "The module of a handler has no usable function `handle`, or that of a guard none named "
        "`guard`: it must be a plain or asynchronous function that is called with the context "
        "alone.",
    ),
    info(
        "COV419",
        "entry-slow",
        "Loading the package's code took longer than half a second. An entry is imported when it "
        "is first needed, and whoever needs it waits.",
    ),
)
