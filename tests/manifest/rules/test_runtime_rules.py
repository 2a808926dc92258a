"""Rules on one runtime (spec/manifest.md 6.2), at their boundaries and in both places."""

from pathlib import Path

import pytest

from tests.manifest.rules.siblings import Case, check, params

HANDLER = {"run.py": "def handle(ctx): ...\n"}
FUNCTION = "function: { handler: run.py }"
BOTH = {**HANDLER, "runtimes/a/run.py": HANDLER["run.py"]}


def staged(stage: str, rest: str = "") -> str:
    return f"schedule: {{ stage: {stage}{', ' if rest else ''}{rest} }}"


KIND = [
    Case("type-function-alone", "6.2.1", f"{staged('audit')}\ntype: function",
         expect=[("function", "runtime-group-mismatch")]),
    Case("function-by-its-group-with-agent", "6.2.1",
         f"{staged('audit')}\n{FUNCTION}\nagent: {{}}", files=BOTH,
         expect=[("function", "runtime-group-mismatch")]),
    Case("function-written-out", "6.2.1", f"{staged('audit')}\ntype: function\n{FUNCTION}",
         files=BOTH),
    Case("type-faulty-says-nothing-more", "6.2.1",
         f"{staged('audit')}\ntype: wizard\n{FUNCTION}\nagent: {{}}", files=BOTH,
         expect=[("type", "value-not-allowed")]),
    Case("function-group-faulty-is-still-a-function", "6.2.2",
         f"{staged('audit')}\nfunction: {{ handler: 7 }}",
         expect=[("function.handler", "wrong-type")]),
    Case("agent-type-with-function", "6.2.2", f"{staged('audit')}\ntype: agent\n{FUNCTION}",
         files=BOTH, expect=[("function", "runtime-group-mismatch")]),
    Case("agent-type-alone", "6.2.2", f"{staged('audit')}\ntype: agent"),
    Case("datasets-in-the-agent-group-of-a-function", "6.4",
         f"{staged('audit')}\n{FUNCTION}\nagent: {{ tools: {{ datasets: [herbs] }} }}",
         "contributes: { datasets: { herbs: { schema: s.json } } }",
         [("agent.tools.datasets", "datasets-on-function"), ("function", "runtime-group-mismatch")],
         {**BOTH, "s.json": "{}"}),
]  # fmt: skip

STAGES = [
    Case("no-schedule-at-all", "6.2.3", "agent: {}", expect=[("schedule.stage", "stage-missing")],
         mentions=["'auto', the default,"]),
    Case("auto-written-out", "6.2.3", "schedule: { trigger: { type: auto } }",
         expect=[("schedule.stage", "stage-missing")]),
    Case("scheduled-with-interval", "6.2.3",
         "schedule: { trigger: { type: scheduled, interval: 2 } }",
         expect=[("schedule.stage", "stage-missing")]),
    Case("function-without-stage", "6.2.3", FUNCTION, files=BOTH,
         expect=[("schedule.stage", "stage-missing")]),
    Case("misspelt-stage-is-one-mistake", "6.2.3", "schedule: { stgae: audit }",
         expect=[("schedule.stgae", "unknown-field")]),
    Case("faulty-stage-is-one-mistake", "6.2.3", "schedule: { stage: later }",
         expect=[("schedule.stage", "value-not-allowed")]),
    Case("faulty-trigger-type-is-one-mistake", "6.2.3", "schedule: { trigger: { type: now } }",
         expect=[("schedule.trigger.type", "value-not-allowed")]),
    Case("manual-with-stage", "6.2.4", staged("audit", "trigger: { type: manual }"),
         expect=[("schedule.stage", "stage-not-allowed")]),
    Case("event-with-stage", "6.2.4", staged("audit", "trigger: { type: event, topic: a.b }"),
         expect=[("schedule.stage", "stage-not-allowed")]),
    Case("manual-alone", "6.2.4", "schedule: { trigger: { type: manual } }"),
    Case("event-without-topic", "6.2.5", "schedule: { trigger: { type: event } }",
         expect=[("schedule.trigger.topic", "topic-missing")]),
    Case("event-without-topic-names-an-own-one", "6.2.5", "schedule: { trigger: { type: event } }",
         "contributes: { events: [{ topic: moss.found, schema: s.json, description: x }] }",
         [("schedule.trigger.topic", "topic-missing")], {"s.json": "{}"}, ["'moss.found'"]),
    Case("event-with-misspelt-topic", "6.2.5", "schedule: { trigger: { type: event, topik: a.b } }",
         expect=[("schedule.trigger.topik", "unknown-field")]),
    Case("setup-with-manual", "6.2.6", staged("setup", "trigger: { type: manual }"),
         expect=[("schedule.stage", "stage-not-allowed"), ("schedule.trigger.type", "setup-trigger")]),
    Case("setup-with-auto", "6.2.6", staged("setup", "trigger: { type: auto }")),
    Case("setup-with-all-gates", "6.2.7",
         staged("setup", "trigger: { interval: 1, startTurn: 1, cooldownTurns: 0 }"),
         expect=[("schedule.trigger.interval", "setup-turn-gate"),
                 ("schedule.trigger.startTurn", "setup-turn-gate"),
                 ("schedule.trigger.cooldownTurns", "setup-turn-gate")]),
    Case("setup-with-retry-budget", "6.2.7", staged("setup", "trigger: { maxTriggerCount: 3 }")),
    Case("session-scope-by-contract-in-a-later-item", "6.2.8",
         staged("audit", "needs: [{ contract: a@1 }, { contract: b@1, scope: session }]"),
         "requires: [a@1, b@1]", [("schedule.needs.1.scope", "session-scope-outside-setup")]),
    Case("session-scope-of-a-manual-runtime", "6.2.8",
         "schedule: { trigger: { type: manual }, needs: [{ contract: a@1, scope: session }] }",
         "optional: [a@1]", [("schedule.needs.0.scope", "session-scope-outside-setup")]),
    Case("session-scope-in-setup", "6.2.8",
         staged("setup", "needs: [{ contract: a@1, scope: session }]"), "requires: [a@1]"),
    Case("turn-scope-anywhere", "6.2.8",
         staged("audit", "needs: [{ contract: a@1, scope: turn }]"), "requires: [a@1]"),
    Case("interval-without-scheduled", "5.2", staged("audit", "trigger: { interval: 2 }"),
         expect=[("schedule.trigger.interval", "field-without-effect")]),
    Case("topic-of-a-manual-runtime", "5.2", "schedule: { trigger: { type: manual, topic: a.b } }",
         expect=[("schedule.trigger.topic", "field-without-effect")]),
    Case("background-of-a-stage", "5.2", staged("audit", "background: true"),
         expect=[("schedule.background", "field-without-effect")]),
    Case("background-of-an-event", "5.2",
         "schedule: { trigger: { type: event, topic: a.b }, background: true }"),
]  # fmt: skip

DETACHED = [
    Case("detached-setup", "6.2.9", staged("setup", "detached: true"),
         expect=[("schedule.stage", "detached-stage")]),
    Case("detached-narrative-by-limits", "6.2.9",
         staged("narrative", "detached: { maxQueueMs: 1 }"),
         expect=[("schedule.stage", "detached-stage")]),
    Case("detached-without-limits", "6.2.9", staged("audit", "detached: {}")),
    Case("detached-false-anywhere", "6.2.9", staged("pre-turn", "detached: false")),
    Case("detached-without-stage-misses-the-stage", "6.2.9", "schedule: { detached: true }",
         expect=[("schedule.stage", "stage-missing")]),
    Case("detached-story", "6.2.10", f"{staged('audit', 'detached: true')}\nio: {{ visibility: story }}",
         expect=[("io.visibility", "detached-story")]),
    Case("detached-plugin", "6.2.10",
         f"{staged('audit', 'detached: true')}\nio: {{ visibility: plugin }}"),
    Case("detached-manual", "6.2.11", "schedule: { trigger: { type: manual }, detached: {} }",
         expect=[("schedule.trigger.type", "detached-called")]),
    Case("settle-limit-alone", "6.2.13", staged("audit", "detached: { maxSettleWaitMs: 1 }"),
         expect=[("schedule.detached.maxSettleWaitMs", "settle-missing")]),
    Case("settle-with-limit", "6.2.13",
         staged("audit", "detached: { settle: before-next-execution, maxSettleWaitMs: 120000 }")),
    Case("suspend-in-an-event-background", "6.2.20",
         "schedule: { trigger: { type: event, topic: a.b }, background: true }\n"
         "agent: { tools: { builtin: [create-form, memory-search, suspend] } }",
         expect=[("agent.tools.builtin.2", "suspend-unattended")]),
    Case("suspend-with-detached-limits", "6.2.20",
         f"{staged('audit', 'detached: {}')}\nagent: {{ tools: {{ builtin: [suspend] }} }}",
         expect=[("agent.tools.builtin.0", "suspend-unattended")]),
    Case("suspend-where-a-player-waits", "6.2.20",
         f"{staged('setup')}\nagent: {{ tools: {{ builtin: [suspend] }} }}"),
]  # fmt: skip

INPUTS = [
    Case("committed-with-empty-pointer", "6.2.14",
         f"{staged('audit')}\nio: {{ inputs: {{ last: {{ from: {{ contract: a@1 }}, "
         "scope: committed, recordAs: x, select: '' } } }", "optional: [a@1]",
         [("io.inputs.last.select", "committed-input-select")]),
    Case("turn-input-with-pointer", "6.2.14",
         f"{staged('audit')}\nio: {{ inputs: {{ now: {{ from: {{ contract: a@1 }}, "
         "select: /a } } }", "optional: [a@1]"),
    Case("committed-from-the-host", "6.2.15",
         f"{staged('audit')}\nio: {{ inputs: {{ digest: {{ from: {{ kernel: turn-digest@1 }}, "
         "scope: committed, recordAs: x } } }",
         expect=[("io.inputs.digest", "committed-input-incomplete")]),
    Case("two-committed-inputs", "6.2.15",
         f"{staged('audit')}\nio: {{ inputs: {{ a: {{ from: {{ contract: a@1 }}, scope: committed }}, "
         "b: { from: { contract: a@1 }, scope: committed } } }", "optional: [a@1]",
         [("io.inputs.a", "committed-input-incomplete"),
          ("io.inputs.b", "committed-input-incomplete")]),
    Case("committed-complete", "6.2.15",
         f"{staged('audit')}\nio: {{ inputs: {{ a: {{ from: {{ contract: a@1 }}, "
         "scope: committed, recordAs: x } } }", "optional: [a@1]"),
    Case("faulty-input-does-not-hide-another", "6.2.15",
         f"{staged('audit')}\nio: {{ inputs: {{ a: {{ from: {{ contract: a@1 }}, scope: ever }}, "
         "b: { from: { contract: a@1 }, scope: committed } } }", "optional: [a@1]",
         [("io.inputs.a.scope", "value-not-allowed"),
          ("io.inputs.b", "committed-input-incomplete")]),
    Case("record-as-of-a-turn-input", "5.3",
         f"{staged('audit')}\nio: {{ inputs: {{ a: {{ from: {{ contract: a@1 }}, recordAs: x }} }} }}",
         "optional: [a@1]", [("io.inputs.a.recordAs", "field-without-effect")]),
    Case("export-with-contract-and-no-schema", "6.2.16",
         f"{staged('audit')}\nio: {{ output: {{ contract: a@1, recordAs: x }} }}", "provides: [a@1]",
         [("io.output.schema", "export-without-schema")]),
    Case("export-with-misspelt-schema", "6.2.16",
         f"{staged('audit')}\nio: {{ output: {{ recordAs: x, shcema: s.json }} }}",
         expect=[("io.output.shcema", "unknown-field")]),
    Case("export-with-the-schema-of-a-contract", "6.2.16",
         f"{staged('audit')}\nio: {{ output: {{ recordAs: x, schema: 'contract:a@1' }} }}"),
    Case("concealed-story", "6.2.18",
         f"{staged('narrative')}\nio: {{ visibility: story, concealed: true }}",
         expect=[("io.concealed", "concealed-story")]),
    Case("concealed-system", "6.2.18", f"{staged('audit')}\nio: {{ visibility: system, concealed: true }}"),
]  # fmt: skip

COMPLETION = [
    Case("explicit-with-output-schema", "6.2.17",
         f"{staged('audit')}\nio: {{ output: {{ schema: s.json }} }}\n"
         "agent: { completion: { require: explicit } }",
         files={"s.json": "{}", "runtimes/a/s.json": "{}"},
         expect=[("agent.completion.require", "explicit-completion-not-allowed")]),
    Case("explicit-on-a-function", "6.2.17",
         f"{staged('audit')}\n{FUNCTION}\nagent: {{ completion: {{ require: explicit }} }}", files=BOTH,
         expect=[("function", "runtime-group-mismatch"),
                 ("agent.completion.require", "explicit-completion-not-allowed")]),
    Case("explicit-on-a-system-agent", "6.2.17",
         f"{staged('audit')}\nio: {{ visibility: system }}\nagent: {{ completion: {{ require: explicit }} }}"),
    Case("import-completes-by-given-name", "6.2.21",
         f"{staged('audit')}\nagent:\n  tools: {{ builtin: [create-form], services: "
         "[{ contract: herb.stock@1, as: stock }] }\n  completion: { afterTools: [create-form, stock] }",
         expect=[("agent.completion.afterTools.1", "completed-by-import")]),
    Case("import-finishes", "6.2.21",
         f"{staged('audit')}\nagent: {{ tools: {{ services: [herb.stock@1] }}, finishWith: herb-stock }}",
         expect=[("agent.finishWith", "completed-by-import")]),
    Case("finish-with-beside-choice", "decisions 2",
         f"{staged('audit')}\nagent: {{ tools: {{ builtin: [create-form] }}, finishWith: create-form, "
         "llm: { toolChoice: required } }", expect=[("agent.finishWith", "finish-with-twice")]),
    Case("finish-with-beside-empty-groups", "decisions 2",
         f"{staged('audit')}\nagent: {{ tools: {{ builtin: [create-form] }}, finishWith: create-form, "
         "llm: { reasoningEffort: disabled }, completion: {} }"),
    Case("after-tools-of-no-source", "5.4",
         f"{staged('audit')}\nagent: {{ tools: {{ builtin: [create-form] }}, "
         "completion: { afterTools: [creat-form] } }",
         expect=[("agent.completion.afterTools.0", "tool-not-offered")], mentions=["'create-form'"]),
    Case("tools-from-every-source", "5.4",
         f"{staged('audit')}\nagent:\n  tools: {{ builtin: [create-form], plugin: [log-herb], "
         "datasets: [herbs], services: [a.b@1], defer: [a-b, herbs-list, create-form] }\n"
         "  llm: { toolChoice: { name: log-herb } }\n"
         "  completion: { afterTools: [log-herb, herbs-upsert, runtime-done] }",
         "contributes: { tools: [log-herb], datasets: { herbs: { schema: s.json } } }",
         files={"s.json": "{}", "server/index.py": ""}),
    Case("deferred-stranger", "5.4",
         f"{staged('audit')}\nagent: {{ tools: {{ builtin: [create-form], defer: [paint] }} }}",
         expect=[("agent.tools.defer.0", "tool-not-offered")]),
]  # fmt: skip

CASES = [*KIND, *STAGES, *DETACHED, *INPUTS, *COMPLETION]


@pytest.mark.parametrize(("case", "form"), params(CASES))
def test_a_runtime_is_judged_as_the_rule_says(case: Case, form: str, tmp_path: Path) -> None:
    check(case, form, tmp_path)


def test_several_rules_at_once_are_all_reported(tmp_path: Path) -> None:
    case = Case(
        "several",
        "6.2",
        """
        schedule: { stage: narrative, detached: { maxSettleWaitMs: 5 }, needs: [{ contract: x@1 }] }
        io: { visibility: story, concealed: true, output: { recordAs: x, contract: y@1 } }
        agent:
          loop: { maxSteps: 0 }
          tools: { builtin: [suspend, search-tools, paint], plugin: [brush] }
          completion: { require: explicit }
        """,
        expect=[
            ("schedule.stage", "detached-stage"),
            ("schedule.detached.maxSettleWaitMs", "settle-missing"),
            ("schedule.needs.0", "contract-not-listed"),
            ("io.visibility", "detached-story"),
            ("io.concealed", "concealed-story"),
            ("io.output.schema", "export-without-schema"),
            ("io.output.contract", "contract-not-provided"),
            ("agent.loop.maxSteps", "number-out-of-range"),
            ("agent.tools.builtin.0", "suspend-unattended"),
            ("agent.tools.builtin", "search-tools-by-hand"),
            ("agent.tools.builtin.2", "builtin-tool-unknown"),
            ("agent.tools.plugin.0", "tool-undeclared"),
            ("agent.completion.require", "explicit-completion-not-allowed"),
        ],
    )
    for form in ("inline", "file"):
        check(case, form, tmp_path / form)
