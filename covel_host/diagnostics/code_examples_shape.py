"""Examples for codes of the shape of a manifest (COV1xx)."""

from collections.abc import Mapping
from typing import Final

from covel_host.diagnostics.code_example import Example

_STAGE = "runtime:\n  schedule: { stage: post-turn }\n"
_DATA = "contributes:\n  data:\n    herbs:\n      schema: schemas/herbs.json\n      version: 1\n"

SHAPE_EXAMPLES: Final[Mapping[str, Example]] = {
    "unknown-field": Example("licence: MIT\n", "license: MIT\n"),
    "old-spelling": Example(
        f"{_STAGE}  agent:\n    loop:\n      completion: {{ require: tool-use }}\n",
        f"{_STAGE}  agent:\n    completion: {{ require: tool-use }}\n",
    ),
    "field-missing": Example(
        "author: { url: https://example.org }\n",
        "author: { name: A. Reed, url: https://example.org }\n",
    ),
    "wrong-type": Example("tags: herbs\n", "tags: [herbs]\n"),
    "value-not-allowed": Example("kind: addon\n", "kind: plugin\n"),
    "text-malformed": Example("provides: [Moss.Tally]\n", "provides: [moss.tally@1]\n"),
    "text-length": Example('description: ""\n', "description: Counts herbs.\n"),
    "number-out-of-range": Example(
        f"{_STAGE}  agent: {{ loop: {{ maxRetries: 9 }} }}\n",
        f"{_STAGE}  agent: {{ loop: {{ maxRetries: 5 }} }}\n",
    ),
    "item-count": Example(
        f"{_STAGE}  permissions:\n    http: [{{ origin: https://example.org, methods: [] }}]\n",
        f"{_STAGE}  permissions:\n    http: [{{ origin: https://example.org, methods: [GET] }}]\n",
    ),
    "duplicate-item": Example(
        f"{_STAGE}  effects: {{ reads: ['ui:*', 'ui:*'] }}\n",
        f"{_STAGE}  effects: {{ reads: ['ui:*'] }}\n",
    ),
    "one-form-of-several": Example(
        f"{_STAGE}  io:\n    inputs:\n"
        "      digest: { from: { kernel: turn-digest@1, contract: moss.tally@1 } }\n",
        f"{_STAGE}  io:\n    inputs:\n      digest: {{ from: {{ kernel: turn-digest@1 }} }}\n",
    ),
    "id-mismatch": Example("id: moss\n", "id: moss-ledger\n"),
    "role-tag": Example('tags: ["role:narrator"]\n', "tags: [herbs]\n"),
    "link-refused": Example(
        "homepage: http://example.org/moss\n", "homepage: https://example.org/moss\n"
    ),
    "host-range-malformed": Example('covel: "^0.1.0"\n', 'covel: ">=0.1.0 <1.0.0"\n'),
    "reserved-name": Example(
        'contributes: { actions: ["covel:open-bag"] }\n', "contributes: { actions: [open-bag] }\n"
    ),
    "variadic-not-last": Example(
        "contributes:\n  actions: [log]\n  commands:\n"
        "    - name: log\n      description: Logs herbs.\n      action: log\n"
        "      arguments: [{ name: herbs, variadic: true }, { name: place }]\n",
        "contributes:\n  actions: [log]\n  commands:\n"
        "    - name: log\n      description: Logs herbs.\n      action: log\n"
        "      arguments: [{ name: place }, { name: herbs, variadic: true }]\n",
    ),
    "authoring-without-accepts": Example(
        f"{_DATA}      authoring: {{ title: Herbs }}\n",
        f"{_DATA}      accepts: [moss.herbs@1]\n      authoring: {{ title: Herbs }}\n",
    ),
    "generation-not-possible": Example(
        f"{_DATA}      accepts: [moss.herbs@1]\n"
        "      authoring: { title: Herbs, generate: offer }\n",
        f"{_DATA}      accepts: [moss.herbs@1]\n"
        "      authoring:\n"
        "        title: Herbs\n"
        "        generate: offer\n"
        "        example: examples/herbs.json\n"
        "        source: { kind: yaml, path: herbs, key: id }\n",
    ),
}
