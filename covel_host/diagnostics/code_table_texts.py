"""Codes of texts: label files, messages, locale variants and prompt bodies (COV28x)."""

from covel_host.diagnostics.code_info import slip, warning

TEXT_RULES = (
    slip(
        "COV280",
        "inline-locale-map",
        "Manifests and UI specs hold English. Translations of labels lie in "
        "`locales/<locale>.yaml`, where translators find them.",
    ),
    slip(
        "COV281",
        "label-not-translatable",
        "A label file translates `displayName`, `description`, `label`, `title`, `summary`, "
        "`about` and the labels of links, and texts of the code under `messages`. Everything else "
        "is structure and comes from the manifest.",
    ),
    slip(
        "COV282",
        "label-without-source",
        "The entry of the label file has no counterpart in the manifest it translates, so nobody "
        "ever sees it.",
    ),
    warning(
        "COV283",
        "message-unfit",
        "The translation of a message keeps the `{name}` placeholders of the English one.",
    ),
    slip(
        "COV284",
        "variant-structure",
        "`PLUGIN.zh.md` and `RUNTIME.zh.md` hold the body and the contents of static prompt "
        "segments. Structure comes from the English file alone; a difference is ignored.",
    ),
    slip(
        "COV285",
        "variant-not-read",
        "Prompts exist in English and Simplified Chinese, so `PLUGIN.zh.md` and `RUNTIME.zh.md` "
        "are the only variants that are read. Labels have files for every locale.",
    ),
    slip(
        "COV286",
        "variant-names-differ",
        "The English and the Chinese body name the same tools, inputs and tags, so that the model "
        "is told the same in both.",
    ),
    warning(
        "COV287",
        "locale-file-name",
        "A label file is called after its locale in canonical form, such as `pt-BR.yaml` or "
        "`zh-Hant-TW.yaml`.",
    ),
    slip(
        "COV288",
        "message-without-source",
        "A message is found by its English text, letter by letter. When the text in the code or UI "
        "spec changes, English is shown until the translation follows.",
    ),
    warning(
        "COV289",
        "template-variable-unknown",
        "A body names variables of the host, such as `{{ world.name }}`, the package's own "
        "settings as `{{ userSettings.KEY }}`, and inputs as `{{ inputs.PLUGIN.RUNTIME }}`. What "
        "is not found becomes the empty text; placeholders of other roots stay as they are.",
    ),
)
