"""Problems a person can act on: what they are, where they lie in a file, and how they are shown.

`diagnostic` holds the one shape of a problem and its fix, `codes` the one table of stable codes,
`source` turns offsets into lines and columns, `yaml_document` reads YAML without losing positions.
`formats` writes problems for people and programs, `explain` says what a code or a reserved name
means, `fixes` and `fix_files` repair what has one reading. The room knows nothing of manifests.
"""
