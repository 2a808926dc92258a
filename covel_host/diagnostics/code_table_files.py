"""Codes of a file and its YAML (COV0xx)."""

from covel_host.diagnostics.code_info import error, info

FILES = (
    error(
        "COV001",
        "file-unreadable",
        "The operating system refused to read the file: missing rights, a folder in its place, or "
        "a failing disk. The message carries the system's reason.",
    ),
    error(
        "COV002",
        "file-too-large",
        "A manifest file has at most 10 MB. The limit keeps one file from holding up the reading "
        "of all packages; large data belongs in files of its own.",
    ),
    error(
        "COV003",
        "file-not-utf8",
        "Manifests are UTF-8 text. The message names the first byte that is not. Files saved as "
        "UTF-16 or in a local code page need to be saved again as UTF-8.",
    ),
    error(
        "COV010",
        "frontmatter-missing",
        "A manifest starts with its frontmatter: a first line of three dashes, the fields as YAML, "
        "and a closing line of three dashes. Nothing may stand before the first line except a "
        "byte-order mark.",
    ),
    error(
        "COV011",
        "frontmatter-unclosed",
        "The frontmatter was opened with three dashes and never closed, so the end of the fields "
        "and the start of the body are unknown.",
    ),
    error(
        "COV012",
        "frontmatter-engine-marker",
        "A word after the opening dashes, such as `---js`, asks some readers to run the block as "
        "code. Metadata is YAML and never code, so every marker is refused before parsing.",
    ),
    error(
        "COV013",
        "frontmatter-not-a-map",
        "The frontmatter holds fields, `name: value`. A list, a number or a single text has no "
        "fields.",
    ),
)


YAML = (
    error(
        "COV020",
        "yaml-syntax",
        "The frontmatter is not valid YAML. The place is where the parser could not go on; the "
        "cause is often a quote or bracket on a line above.",
    ),
    error(
        "COV021",
        "yaml-unquoted-colon",
        "A colon followed by a space starts a nested map in YAML. A value that holds ': ' needs "
        'quotes: `description: "Herbs: a list"`.',
    ),
    error(
        "COV022",
        "yaml-tab",
        "YAML indents with spaces only. Editors that insert tabs need to be told so for `.md` "
        "and `.yaml` files.",
    ),
    error(
        "COV023",
        "yaml-duplicate-key",
        "A key stands once in a map. Many readers silently keep the last of two equal keys; here "
        "both places are shown.",
    ),
    error(
        "COV024",
        "yaml-key-not-text",
        "Keys are texts. `42:` or `true:` is a number or a truth value, and `? [a]` a list; in "
        "quotes they become texts.",
    ),
    error(
        "COV025",
        "yaml-tag",
        "Tags such as `!!python/name` or `!env` make readers build special values. Manifests hold "
        "plain values only.",
    ),
    error(
        "COV026",
        "yaml-too-deep",
        "Values nest at most 64 levels deep. Real manifests stay below ten.",
    ),
    error(
        "COV027",
        "yaml-too-large",
        "A text has at most 20,000 values, counted after aliases are written out. A few lines of "
        "nested aliases can stand for millions of values.",
    ),
    error(
        "COV028",
        "yaml-unknown-alias",
        "`*name` stands for the value marked `&name` earlier in the same text, and no such mark "
        "was written.",
    ),
    error(
        "COV029",
        "yaml-recursive-alias",
        "An alias inside the value it refers to describes a value without end.",
    ),
    error(
        "COV030",
        "yaml-control-character",
        "YAML excludes most control characters and the byte-order mark inside a text. They are "
        "invisible in editors and come from copying or broken tools.",
    ),
    error(
        "COV031",
        "yaml-number",
        "Values end up as JSON, which has no infinity and no not-a-number, and a number of more "
        "than 1,000 characters is a mistake.",
    ),
    error(
        "COV032",
        "yaml-several-documents",
        "One frontmatter is one YAML document. A line `--- text` or `...` starts another one.",
    ),
    error(
        "COV033",
        "yaml-merge",
        "The merge key `<<` takes the members of a map, or of a list of maps, into the map around "
        "it.",
    ),
    error(
        "COV034",
        "yaml-yes-no",
        "YAML 1.1 read `yes`, `no`, `on` and `off` as truth values; YAML 1.2, which manifests are "
        "written in, reads them as texts. Truth values are `true` and `false`.",
    ),
    error(
        "COV035",
        "yaml-unquoted-number",
        "Digits without quotes are a number, and a number forgets how it was written: `1.10` is "
        "1.1. A field that holds a text, such as a version, needs quotes.",
    ),
    error(
        "COV036",
        "yaml-base-sixty",
        "YAML 1.1 read `12:30` as a number to base 60, which is 750; YAML 1.2 reads it as a text. "
        "Numbers are written out.",
    ),
    info(
        "COV037",
        "yaml-read-differently",
        "The unquoted text is a truth value, a number to base 60 or a date for tools that still "
        "follow YAML 1.1. This host reads a text; in quotes every tool does.",
    ),
)
