"""Examples for codes of rules across fields (COV2xx)."""

from collections.abc import Mapping
from typing import Final

from covel_host.diagnostics.code_example import Example

_STAGE = "runtime:\n  schedule: { stage: post-turn }\n"

RULE_EXAMPLES: Final[Mapping[str, Example]] = {
    "invalid-conflict": Example("conflicts: [ui.slot@1]\n", "conflicts: [moss.tally@1]\n"),
    "path-outside-package": Example("entry: ../shared/index.py\n", "contributes: { tools: [] }\n"),
    "runtime-group-mismatch": Example(
        f"{_STAGE}  type: agent\n  function: {{ handler: server/count.py }}\n",
        f"{_STAGE}  type: agent\n  agent: {{ model: small }}\n",
    ),
    "stage-missing": Example("runtime:\n  agent: { model: small }\n", _STAGE),
    "stage-not-allowed": Example(
        "runtime:\n  schedule: { stage: audit, trigger: { type: manual } }\n",
        "runtime:\n  schedule: { trigger: { type: manual } }\n",
    ),
    "topic-missing": Example(
        "runtime:\n  schedule: { trigger: { type: event } }\n",
        "runtime:\n  schedule: { trigger: { type: event, topic: moss.found } }\n",
    ),
    "concealed-story": Example(
        "runtime:\n  schedule: { stage: narrative }\n  io: { visibility: story, concealed: true }\n",
        "runtime:\n  schedule: { stage: narrative }\n  io: { visibility: story }\n",
    ),
    "export-without-schema": Example(
        f"{_STAGE}  io: {{ output: {{ recordAs: tally }} }}\n",
        f"{_STAGE}  io: {{ output: {{ recordAs: tally, schema: schemas/tally.json }} }}\n",
    ),
    "builtin-tool-unknown": Example(
        f"{_STAGE}  agent: {{ tools: {{ builtin: [emit-events] }} }}\n",
        f"{_STAGE}  agent: {{ tools: {{ builtin: [emit-event] }} }}\n",
    ),
    "tool-undeclared": Example(
        f"contributes: {{ tools: [log-herb] }}\n{_STAGE}"
        "  agent: { tools: { plugin: [log-herbs] } }\n",
        f"contributes: {{ tools: [log-herb] }}\n{_STAGE}"
        "  agent: { tools: { plugin: [log-herb] } }\n",
    ),
    "contract-not-listed": Example(
        f"{_STAGE}  io: {{ inputs: {{ story: {{ from: {{ contract: narrative-engine@1 }} }} }} }}\n",
        "requires: [narrative-engine@1]\n"
        f"{_STAGE}  io: {{ inputs: {{ story: {{ from: {{ contract: narrative-engine@1 }} }} }} }}\n",
    ),
    "action-undeclared": Example(
        "contributes:\n  commands: [{ name: log, description: Logs herbs., action: log-herb }]\n",
        "contributes:\n  actions: [log-herb]\n"
        "  commands: [{ name: log, description: Logs herbs., action: log-herb }]\n",
    ),
    "finish-with-twice": Example(
        f"contributes: {{ tools: [log-herb] }}\n{_STAGE}"
        "  agent: { finishWith: log-herb, completion: { require: tool-use } }\n",
        f"contributes: {{ tools: [log-herb] }}\n{_STAGE}  agent: {{ finishWith: log-herb }}\n",
    ),
}
