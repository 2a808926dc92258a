"""Codes of world packs (COV5xx); what is wrong with files, YAML and shape has codes of its own."""

from covel_host.diagnostics.code_info import slip, warning

WORLDS = (
    slip(
        "COV501",
        "world-manifest-missing",
        "A world pack is a folder with a `world.yaml` in it, which says what the world is called, "
        "in which languages it is written and which packages it is made for.",
    ),
    slip(
        "COV502",
        "lore-missing",
        "A world has a lore text, `WORLD.md`, for readers of each language that it declares: the "
        "language's own file, or the main one.",
    ),
    warning(
        "COV503",
        "lore-fallback-missing",
        "`WORLD.md` is what readers of a language without a translation get.",
    ),
    warning(
        "COV504",
        "unknown-plugin",
        "The world names a package that is not installed here. A name that is nearly that of an "
        "installed package is a slip, and an error; any other package may be installed where the "
        "world is played.",
    ),
    warning(
        "COV505",
        "unknown-setting",
        "`pluginSettings` holds values for settings that packages declare. A setting that its "
        "package does not have changes nothing.",
    ),
    warning(
        "COV506",
        "unprovided-contract",
        "The world requires a contract, and no installed package provides it, or several do and "
        "none was chosen. No session of the world can be made until one does. A name that is "
        "nearly that of a known contract is an error.",
    ),
    warning(
        "COV507",
        "unresolved-contract",
        "A source sends its records to a contract that no installed package receives. While a "
        "pack is checked that is a warning, unless the name is nearly that of a known contract; "
        "when a session is made it is an error.",
    ),
    warning(
        "COV508",
        "locale-overlay",
        "A translation holds texts for what the main file has, and nothing else: keys, items, "
        "numbers and structure come from the main file. What does not fit is not used.",
    ),
    warning(
        "COV509",
        "locale-script",
        "A translation into a language without Chinese characters holds some, which is mostly a "
        "text that nobody has translated yet.",
    ),
    slip(
        "COV510",
        "world-target",
        "`to` says where the records of a source go: `characters`, `lorebook`, `media`, "
        "`world:metadata.dimensions`, or `contract:` and a contract.",
    ),
    slip(
        "COV511",
        "world-source",
        "The fields of a source do not go together: hidden records go to a contract alone, media "
        "has `key: filename`, a text has a `key`, and so on.",
    ),
    slip(
        "COV512",
        "world-source-order",
        "`after` names sources of the same descriptor, and no two wait for each other.",
    ),
    slip(
        "COV513",
        "world-data-shape",
        "A source is a list of records, or one record; each is a map with its key in the field "
        "that `key` names, `id` unless it says otherwise.",
    ),
    slip(
        "COV514",
        "world-record-duplicate",
        "The key tells the records of a source apart, so it stands there once.",
    ),
    slip(
        "COV515",
        "world-record-invalid",
        "A record fits the schema of its source and that of every package that receives it.",
    ),
    slip(
        "COV516",
        "world-record-too-large",
        "A stored record is at most 262,144 bytes of JSON; nothing is cut.",
    ),
    slip(
        "COV517",
        "dimension-invalid",
        "A dimension has `name`, `schema` and `initialValue`; the schema uses the keywords that "
        "dimensions know, and the initial value fits it.",
    ),
    slip(
        "COV518",
        "character-invalid",
        "A character has a declared type, values that fit their attributes, and no name or alias "
        "that is somebody else's. The same rule holds while a world is played.",
    ),
    warning(
        "COV519",
        "character-default-unfit",
        "The default of an attribute fits the attribute's own type and limits. One that does not "
        "is never written.",
    ),
    slip(
        "COV520",
        "world-schema",
        "The character schema names each attribute once, leaves `player` out of its types, and "
        "gives limits that some number fits.",
    ),
    warning(
        "COV521",
        "lorebook-never-active",
        "A selective lorebook entry is used when the player's message holds one of its keys.",
    ),
    warning(
        "COV522",
        "receiver-inactive",
        "A package that would receive records is installed and not part of the session, so they "
        "are not written for it.",
    ),
    slip(
        "COV523",
        "receiver-unusable",
        "The schema of a package's namespace cannot be used, so no record can be checked against "
        "it, and none is written.",
    ),
    warning(
        "COV524",
        "dimensions-without-provider",
        "Dimensions are kept by the one active package that provides `world.dimensions@1`. "
        "Without it a session has none.",
    ),
    slip(
        "COV525",
        "world-media",
        "A media source is one folder of pictures or music: 20 MB for each file, 100 MB for all. "
        "The bytes are what the name says, and what records name is there.",
    ),
    slip(
        "COV526",
        "world-duplicate",
        "Two world packs of one call have the same `id`, by which sessions know their world.",
    ),
)
