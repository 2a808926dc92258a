"""Codes of rules on one runtime and on what it refers to (COV21x-COV24x)."""

from covel_host.diagnostics.code_info import error, warning

RUNTIME_RULES = (
    error(
        "COV210",
        "runtime-group-mismatch",
        "A function runtime has the group `function` with a handler and no `agent`; an agent "
        "runtime has no `function`. Without `type`, a `function` group makes it a function.",
    ),
    error(
        "COV211",
        "stage-missing",
        "A runtime with the trigger `auto`, which is the default, or `scheduled` runs in a stage: "
        "`setup`, `pre-turn`, `narrative`, `post-turn` or `audit`.",
    ),
    error(
        "COV212",
        "stage-not-allowed",
        "Runtimes with the trigger `event` or `manual` run when they are called, whatever the "
        "stage, so they have none.",
    ),
    error(
        "COV213",
        "topic-missing",
        "An event runtime is started by one topic, which `schedule.trigger.topic` names.",
    ),
    error(
        "COV214",
        "setup-trigger",
        "Setup runtimes run on their own until they are done, so their trigger is `auto`. It may "
        "be left out.",
    ),
    error(
        "COV215",
        "setup-turn-gate",
        "`interval`, `startTurn` and `cooldownTurns` count played turns, and setup runs before the "
        "first of them. `maxTriggerCount` limits the retries of a setup runtime.",
    ),
    error(
        "COV216",
        "session-scope-outside-setup",
        "`scope: session` waits for something that happens once in a session. Only setup runtimes "
        "may; elsewhere a need is met within the turn.",
    ),
    error(
        "COV217",
        "detached-stage",
        "The turn does not wait for a detached runtime, so nothing of the turn can follow it: it "
        "belongs to `post-turn` or `audit`.",
    ),
    error(
        "COV218",
        "detached-story",
        "A story is what the player waits for, so a story runtime is never detached.",
    ),
    error(
        "COV219",
        "detached-called",
        "Runtimes with the trigger `event` or `manual` go to the background with "
        "`schedule.background: true`. `detached` is for runtimes of a stage.",
    ),
    error(
        "COV220",
        "settle-missing",
        "`maxSettleWaitMs` limits the wait that `settle: before-next-execution` asks for. Without "
        "it nothing waits.",
    ),
    error(
        "COV221",
        "committed-input-select",
        "A committed input is the whole export of an earlier execution; `select` is for inputs of "
        "this turn. That includes the empty pointer.",
    ),
    error(
        "COV222",
        "committed-input-incomplete",
        "A committed input reads an export, so `recordAs` names its key, and the source is a "
        "runtime or a contract: the host exports nothing.",
    ),
    error(
        "COV223",
        "export-without-schema",
        "`io.output.recordAs` keeps the output for later executions. They rely on its shape, which "
        "`io.output.schema` states.",
    ),
    error(
        "COV224",
        "explicit-completion-not-allowed",
        "`require: explicit` ends an agent by a call of `runtime-done`. A story ends with its "
        "prose, an output schema with its output, and a function by returning.",
    ),
    error(
        "COV225",
        "concealed-story",
        "A concealed runtime hides its prompt and output. The story is what the player reads.",
    ),
    error(
        "COV226",
        "suspend-unattended",
        "`suspend` waits for the player. Nobody watches a background or detached run, so it could "
        "never go on.",
    ),
    error(
        "COV227",
        "completed-by-import",
        "A runtime must be able to end without another package, and an imported service is absent "
        "whenever its provider is.",
    ),
    error(
        "COV228",
        "search-tools-by-hand",
        "The host adds `search-tools` by itself when `agent.tools.defer` is written, and only "
        "then.",
    ),
    error(
        "COV229",
        "finish-with-twice",
        "`finishWith: <tool>` stands for a forced choice of that tool and completion after it. "
        "Written beside `llm.toolChoice` or `completion` it would say the same twice, or two "
        "things.",
    ),
    warning(
        "COV230",
        "field-without-effect",
        "The field counts only together with another one, which has another value here. It does "
        "no harm, and does not do what was meant.",
    ),
    warning(
        "COV231",
        "tool-not-offered",
        "The name is none of the tools that this runtime gets, so the model can never call it.",
    ),
    warning(
        "COV232",
        "detached-in-foreground",
        "A turn leaves a detached runtime behind only where what it changes belongs to its package "
        "alone: own data, interface blocks, assets. A function says so in its `effects`. Otherwise "
        "the turn waits for it.",
    ),
)

REFERENCE_RULES = (
    error(
        "COV240",
        "runtime-of-another-package",
        "Runtimes refer to each other by ID inside one package only. What another package gives "
        "is asked for by contract.",
    ),
    error(
        "COV241",
        "runtime-not-found",
        "The package has no runtime of this ID. IDs are `<package>/<folder>` for the folders of "
        "`runtimes/`, and the package's own ID for an inline runtime.",
    ),
    warning(
        "COV242",
        "runtime-cycle",
        "Runtimes that wait for each other are all skipped, with the reason `dependency-cycle`.",
    ),
    error(
        "COV243",
        "contract-not-listed",
        "What a runtime takes by contract is listed under `requires` or `optional` in the root "
        "manifest, also when the package itself provides it. `after` and inputs from the host are "
        "exempt.",
    ),
    error(
        "COV244",
        "contract-not-provided",
        "A runtime outputs only contracts that the root manifest lists under `provides`.",
    ),
    error(
        "COV245",
        "contract-produced-twice",
        "One runtime of a package outputs a contract; with two, a consumer could not tell which "
        "it gets.",
    ),
    error(
        "COV246",
        "builtin-tool-unknown",
        "`tools.builtin` takes names of the framework's tools. A package's own tools are listed "
        "under `tools.plugin`.",
    ),
    error(
        "COV247",
        "tool-undeclared",
        "`tools.plugin` shows the model tools of this package, each of which the root manifest "
        "declares in `contributes.tools`.",
    ),
    error(
        "COV248",
        "action-undeclared",
        "A command runs an action of its package, which `contributes.actions` lists.",
    ),
    error(
        "COV249",
        "projection-namespace",
        "A projection writes into a namespace that `contributes.data` declares and that takes "
        "world data (`accepts`).",
    ),
)
