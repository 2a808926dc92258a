"""What each field of a runtime manifest is for, in one sentence (see `field_texts_root`)."""

from collections.abc import Mapping
from typing import Final

_CARDINALITY = "One provider, or all that are active."
_NEEDED_SCOPE = "Success in this turn, or at any time in the session (setup runtimes only)."

RUNTIME_TEXTS: Final[Mapping[str, Mapping[str, str]]] = {
    "RuntimeManifest": {
        "type": "Agent or function; told by which of the two groups is written unless given.",
        "description": "What the runtime does; the package's description unless given.",
        "schedule": "When it runs and what it waits for.",
        "io": "What it reads and gives.",
        "agent": "How an agent works with its model.",
        "function": "The code of a function runtime.",
        "guard": "Module that decides before each run whether the runtime is needed.",
        "effects": "Resources a run touches; they bound what a detached run may write.",
        "permissions": "Upper bounds for a community package's code.",
    },
    "Schedule": {
        "stage": "Part of the turn it runs in; for the triggers 'auto' and 'scheduled'.",
        "trigger": "What starts it.",
        "needs": "Runtimes or contracts that have to succeed first.",
        "after": "Runtimes or contracts that come first, whatever their result.",
        "background": "Whether a manual or event run goes to the job queue.",
        "detached": "Whether the turn goes on without waiting for it, and within which limits.",
    },
    "Trigger": {
        "type": "Each turn, every few turns, on request, or on an event.",
        "interval": "Turns between two runs; for 'scheduled'.",
        "topic": "Event topic; for 'event'.",
        "maxTriggerCount": "Most runs in one session; for setup runtimes the most attempts.",
        "cooldownTurns": "Turns that have to pass since the last run.",
        "startTurn": "First turn in which it may run.",
    },
    "NeededRuntime": {"runtime": "Runtime of the same package.", "scope": _NEEDED_SCOPE},
    "NeededContract": {
        "contract": "Contract of the providers.",
        "cardinality": _CARDINALITY,
        "scope": _NEEDED_SCOPE,
    },
    "EarlierRuntime": {"runtime": "Runtime of the same package."},
    "EarlierContract": {"contract": "Contract of the providers.", "cardinality": _CARDINALITY},
    "Detached": {
        "settle": "Has the next execution wait for the run.",
        "maxSettleWaitMs": "Longest wait for it in milliseconds; needs 'settle'.",
        "maxQueueMs": "Longest time in the queue in milliseconds.",
        "maxExecutionMs": "Longest run in milliseconds.",
    },
    "RuntimeIo": {
        "inputs": "Values bound before the run, by name.",
        "selfData": "Own records put into the prompt.",
        "payloadSchema": "JSON Schema of what a manual call or an event hands over.",
        "output": "What becomes of the output.",
        "visibility": "Whether the output is part of the story, for the package, or for the host.",
        "concealed": "Whether prompt, reply and output stay out of traces and answers.",
    },
    "Input": {
        "from": "Where the value comes from.",
        "scope": "From this turn, or from what was committed before it.",
        "select": "JSON pointer into the value; not with the scope 'committed'.",
        "required": "Whether the runtime is skipped without a value.",
        "accepts": "JSON Schema the value has to meet: a path, or 'contract:<contract>'.",
        "recordAs": "Export of the producer; with the scope 'committed'.",
    },
    "RuntimeSource": {"runtime": "Runtime of the same package."},
    "ContractSource": {"contract": "Contract of the providers.", "cardinality": _CARDINALITY},
    "KernelSource": {"kernel": "A value of the host itself."},
    "SelfData": {
        "namespace": "Own namespace or data set.",
        "as": "Tag around the records in the prompt.",
        "format": "How much of each record is shown.",
        "maxEntries": "Most records shown: half oldest, half most recently changed.",
    },
    "Output": {
        "contract": "Contract under which the output is published; listed under 'provides'.",
        "schema": "JSON Schema of the output: a path, or 'contract:<contract>'.",
        "recordAs": "Name under which later executions read the output.",
    },
    "Agent": {
        "model": "Model slot.",
        "llm": "Options of the model calls.",
        "history": "How many past turns the model reads.",
        "tools": "Tools the model gets.",
        "advertiseEvents": "Whether the session's events are listed in the prompt.",
        "completion": "What ends a run.",
        "finishWith": "Tool that has to be called and ends the run; short for both fields.",
        "loop": "Limits of the loop.",
    },
    "ModelOptions": {
        "reasoningEffort": "Turns reasoning off.",
        "toolChoice": "Forces a tool call in every step, or the call of one tool.",
    },
    "NamedTool": {"name": "Name of the tool."},
    "History": {
        "maxTurns": "Number of past turns; 0 is none.",
        "includeSummaries": "Whether summaries of older turns are read, too.",
    },
    "AgentTools": {
        "builtin": "Tools of the framework.",
        "plugin": "Own tools; an inline agent without this field gets all contributed ones.",
        "services": "Services of other packages as tools.",
        "datasets": "Data sets whose tools the model gets.",
        "defer": "Tools that are found by searching instead of listed from the start.",
    },
    "ServiceImport": {
        "contract": "Contract of the service.",
        "as": "Name of the tool; derived from the contract unless given.",
    },
    "DatasetChoice": {
        "dataset": "Name of the data set.",
        "tools": "Tools of it; all unless listed.",
    },
    "Completion": {
        "require": "An explicit end, or at least one tool call.",
        "afterTools": "Tools whose successful call ends the run.",
    },
    "Loop": {
        "maxSteps": "Most model calls in one run.",
        "corrections": "How often each kind of mistake may be corrected.",
        "timeoutMs": "Longest run in milliseconds, without the time a streamed call produces text.",
        "callTimeoutMs": "Longest call without streaming in milliseconds.",
        "firstTokenTimeoutMs": "Longest wait for the first token in milliseconds.",
        "idleTimeoutMs": "Longest silence inside a stream in milliseconds.",
        "maxRetries": "Most repetitions of a failed call.",
        "loopDetection": "Equal calls in a row that end the run; 0 turns the check off.",
        "maxRecursionDepth": "Deepest chain of sub-agents.",
    },
    "Corrections": {
        "toolUse": "For a missing tool call.",
        "outputSchema": "For an output that does not meet its schema.",
        "prose": "For prose that breaks the rules of the story.",
        "draftReview": "For a draft that a review sent back.",
    },
    "FunctionGroup": {
        "handler": "Module with the function 'handle'.",
        "model": "Model slot whose access decides whether a background job can start.",
        "timeoutMs": "Longest run in milliseconds.",
        "tools": "Tools the code may call.",
    },
    "FunctionTools": {"builtin": "Tools of the framework.", "plugin": "Own tools."},
    "Effects": {
        "reads": "Resources the run reads.",
        "writes": "Resources the run writes.",
        "parallelSafe": "Whether the run may overlap with others that touch the same.",
    },
    "Permissions": {"http": "Origins the code may reach."},
    "HttpPermission": {
        "origin": "Origin, such as 'https://api.example.org'.",
        "methods": "HTTP methods; all unless listed.",
    },
}
