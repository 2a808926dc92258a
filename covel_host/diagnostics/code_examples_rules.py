"""Examples for codes of rules across fields (COV2xx)."""

from collections.abc import Mapping
from typing import Final

from covel_host.diagnostics.code_example import Example

_STAGE = "runtime:\n  schedule: { stage: post-turn }\n"
_TOOL = f"contributes: {{ tools: [log-herb] }}\n{_STAGE}"
_IMPORT = "services: [herb.stock@1]"
_INPUT = f"optional: [tide.table@1]\n{_STAGE}  io:\n    inputs:\n"
_TIDE = "from: { contract: tide.table@1 }, scope: committed"
_SLOT = "contributes:\n  extensions:\n    - { point: ui.slot@1, id: herbs"
_SETTING = "contributes:\n  settings:\n    - key: season\n      type: select\n      label: Season\n"
_OPTIONS = "options: [{ value: spring, label: Spring }]"

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
        "runtime:\n  schedule: { stage: narrative }\n"
        "  io: { visibility: story, concealed: true }\n",
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
        f"{_STAGE}  io: {{ inputs: {{ tide: {{ from: {{ contract: tide.table@1 }} }} }} }}\n",
        "requires: [tide.table@1]\n"
        f"{_STAGE}  io: {{ inputs: {{ tide: {{ from: {{ contract: tide.table@1 }} }} }} }}\n",
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
    "setup-trigger": Example(
        "runtime:\n  schedule: { stage: setup, trigger: { type: scheduled } }\n",
        "runtime:\n  schedule: { stage: setup }\n",
    ),
    "setup-turn-gate": Example(
        "runtime:\n  schedule: { stage: setup, trigger: { startTurn: 2 } }\n",
        "runtime:\n  schedule: { stage: setup, trigger: { maxTriggerCount: 2 } }\n",
    ),
    "session-scope-outside-setup": Example(
        "requires: [session.opening@1]\nruntime:\n  schedule:\n    stage: post-turn\n"
        "    needs: [{ contract: session.opening@1, scope: session }]\n",
        "requires: [session.opening@1]\nruntime:\n  schedule:\n    stage: post-turn\n"
        "    needs: [{ contract: session.opening@1 }]\n",
    ),
    "detached-stage": Example(
        "runtime:\n  schedule: { stage: pre-turn, detached: true }\n",
        "runtime:\n  schedule: { stage: post-turn, detached: true }\n",
    ),
    "detached-story": Example(
        "runtime:\n  schedule: { stage: post-turn, detached: true }\n  io: { visibility: story }\n",
        "runtime:\n  schedule: { stage: post-turn, detached: true }\n"
        "  io: { visibility: plugin }\n",
    ),
    "detached-called": Example(
        "runtime:\n  schedule: { trigger: { type: manual }, detached: true }\n",
        "runtime:\n  schedule: { trigger: { type: manual }, background: true }\n",
    ),
    "settle-missing": Example(
        "runtime:\n  schedule: { stage: audit, detached: { maxSettleWaitMs: 5000 } }\n",
        "runtime:\n  schedule:\n    stage: audit\n"
        "    detached: { settle: before-next-execution, maxSettleWaitMs: 5000 }\n",
    ),
    "committed-input-select": Example(
        f"{_INPUT}      tide: {{ {_TIDE}, recordAs: tide, select: /a }}\n",
        f"{_INPUT}      tide: {{ {_TIDE}, recordAs: tide }}\n",
    ),
    "committed-input-incomplete": Example(
        f"{_INPUT}      tide: {{ {_TIDE} }}\n",
        f"{_INPUT}      tide: {{ {_TIDE}, recordAs: tide }}\n",
    ),
    "explicit-completion-not-allowed": Example(
        "runtime:\n  schedule: { stage: narrative }\n  io: { visibility: story }\n"
        "  agent: { completion: { require: explicit } }\n",
        "runtime:\n  schedule: { stage: narrative }\n  io: { visibility: story }\n",
    ),
    "suspend-unattended": Example(
        "runtime:\n  schedule: { trigger: { type: manual }, background: true }\n"
        "  agent: { tools: { builtin: [suspend] } }\n",
        "runtime:\n  schedule: { trigger: { type: manual } }\n"
        "  agent: { tools: { builtin: [suspend] } }\n",
    ),
    "detached-in-foreground": Example(
        "runtime:\n  schedule: { stage: audit, detached: true }\n"
        "  function: { handler: ./server/audit.py }\n",
        "runtime:\n  schedule: { stage: audit, detached: true }\n"
        "  function: { handler: ./server/audit.py }\n"
        "  effects: { writes: [plugin-data:self:audits] }\n",
    ),
    "completed-by-import": Example(
        f"{_TOOL}  agent:\n    tools: {{ plugin: [log-herb], {_IMPORT} }}\n"
        "    completion: { afterTools: [herb-stock] }\n",
        f"{_TOOL}  agent:\n    tools: {{ plugin: [log-herb], {_IMPORT} }}\n"
        "    completion: { afterTools: [log-herb] }\n",
    ),
    "search-tools-by-hand": Example(
        f"{_STAGE}  agent: {{ tools: {{ builtin: [memory-search, search-tools] }} }}\n",
        f"{_STAGE}  agent:\n    tools: {{ builtin: [memory-search], defer: [memory-search] }}\n",
    ),
    "field-without-effect": Example(
        "runtime:\n  schedule: { stage: post-turn, trigger: { interval: 3 } }\n",
        "runtime:\n  schedule: { stage: post-turn, trigger: { type: scheduled, interval: 3 } }\n",
    ),
    "tool-not-offered": Example(
        f"{_TOOL}  agent: {{ completion: {{ afterTools: [log-herbs] }} }}\n",
        f"{_TOOL}  agent: {{ completion: {{ afterTools: [log-herb] }} }}\n",
    ),
    "runtime-of-another-package": Example(
        "runtime:\n  schedule: { stage: post-turn, after: [tide-table/count] }\n",
        "optional: [tide.table@1]\nruntime:\n"
        "  schedule: { stage: post-turn, after: [{ contract: tide.table@1 }] }\n",
    ),
    "contract-not-provided": Example(
        f"provides: [moss.tally@1]\n{_STAGE}  io: {{ output: {{ contract: moss.tally@2 }} }}\n",
        f"provides: [moss.tally@1]\n{_STAGE}  io: {{ output: {{ contract: moss.tally@1 }} }}\n",
    ),
    "extension-slot-missing": Example(f"{_SLOT} }}\n", f"{_SLOT}, slot: stage.cast@1 }}\n"),
    "extension-point-unknown": Example(
        "contributes:\n  extensions: [{ point: history.compact@1, id: herbs }]\n",
        "contributes:\n  extensions: [{ point: history.compact@2, id: herbs }]\n",
    ),
    "service-imported-twice": Example(
        f"{_STAGE}  agent:\n    tools:\n"
        "      services: [herb.stock@1, { contract: herb.stock@1, as: stock }]\n",
        f"{_STAGE}  agent:\n    tools:\n"
        "      services: [{ contract: herb.stock@1, as: stock }]\n",
    ),
    "repeated-item": Example("tags: [herbs, moss, herbs]\n", "tags: [herbs, moss]\n"),
    "python-need-malformed": Example(
        'python: { requires: "^3.11" }\n', 'python: { requires: ">=3.11" }\n'
    ),
    "setting-default-unfit": Example(
        f"{_SETTING}      default: fall\n      {_OPTIONS}\n",
        f"{_SETTING}      default: spring\n      {_OPTIONS}\n",
    ),
    "kernel-contract-provided": Example(
        "provides: [prompt.segment@1]\n",
        "contributes:\n  extensions: [{ point: prompt.segment@1, id: herbs }]\n",
    ),
    "template-variable-unknown": Example(
        f"---\ndescription: Counts herbs.\n{_STAGE}---\nAnswer {{{{ player.mesage }}}}.\n",
        f"---\ndescription: Counts herbs.\n{_STAGE}---\nAnswer {{{{ player.message }}}}.\n",
    ),
    "inline-locale-map": Example(
        "displayName: { en: Herb ledger, zh-CN: 草药账本 }\n", "displayName: Herb ledger\n"
    ),
}
