"""Examples for codes of a file and its YAML (COV0xx)."""

from collections.abc import Mapping
from typing import Final

from covel_host.diagnostics.code_example import Example

FILE_EXAMPLES: Final[Mapping[str, Example]] = {
    "frontmatter-missing": Example(
        "# Moss ledger\n---\ndescription: Counts herbs.\n---\n",
        "---\ndescription: Counts herbs.\n---\n# Moss ledger\n",
    ),
    "frontmatter-unclosed": Example(
        "---\ndescription: Counts herbs.\n",
        "---\ndescription: Counts herbs.\n---\n",
    ),
    "frontmatter-engine-marker": Example(
        "---js\ndescription: Counts herbs.\n---\n",
        "---\ndescription: Counts herbs.\n---\n",
    ),
    "frontmatter-not-a-map": Example(
        "---\n- Counts herbs.\n---\n",
        "---\ndescription: Counts herbs.\n---\n",
    ),
    "yaml-syntax": Example("tags: [herbs, moss\n", "tags: [herbs, moss]\n"),
    "yaml-unquoted-colon": Example(
        "description: Herbs: a list\n", 'description: "Herbs: a list"\n'
    ),
    "yaml-tab": Example("author:\n\tname: A. Reed\n", "author:\n  name: A. Reed\n"),
    "yaml-duplicate-key": Example(
        'version: "1.0.0"\nversion: "1.1.0"\n',
        'version: "1.1.0"\n',
    ),
    "yaml-key-not-text": Example(
        "contributes:\n  data:\n    42: { schema: schemas/herbs.json, version: 1 }\n",
        "contributes:\n  data:\n    herbs: { schema: schemas/herbs.json, version: 1 }\n",
    ),
    "yaml-tag": Example("license: !env LICENSE\n", "license: MIT\n"),
    "yaml-unknown-alias": Example("license: *usual\n", "license: MIT\n"),
    "yaml-recursive-alias": Example("tags: &all [herbs, *all]\n", "tags: [herbs]\n"),
    "yaml-number": Example(
        "contributes:\n  settings:\n"
        "    - { key: limit, type: number, label: Limit, default: .inf }\n",
        "contributes:\n  settings:\n"
        "    - { key: limit, type: number, label: Limit, default: 1000 }\n",
    ),
    "yaml-several-documents": Example(
        "license: MIT\n--- # more\ntags: [herbs]\n",
        "license: MIT\ntags: [herbs]\n",
    ),
    "yaml-merge": Example("author:\n  <<: A. Reed\n", "author:\n  name: A. Reed\n"),
    "yaml-yes-no": Example(
        "runtime:\n  schedule: { stage: post-turn, background: no }\n",
        "runtime:\n  schedule: { stage: post-turn, background: false }\n",
    ),
    "yaml-unquoted-number": Example("version: 1.10\n", 'version: "1.10"\n'),
    "yaml-base-sixty": Example(
        "runtime:\n  schedule: { stage: post-turn }\n  agent: { loop: { timeoutMs: 1:30 } }\n",
        "runtime:\n  schedule: { stage: post-turn }\n  agent: { loop: { timeoutMs: 90000 } }\n",
    ),
    "yaml-read-differently": Example("version: 2026-01-02\n", 'version: "2026-01-02"\n'),
}
