"""Problems a person can act on: what they are, where they lie in a file, and how they are shown.

`diagnostic` holds the one shape of a problem, `codes` the one table of stable codes, `source` turns
offsets into lines and columns, `yaml_document` reads YAML without losing positions, and `formats`
writes problems for people and programs. The room knows nothing of manifests.
"""
