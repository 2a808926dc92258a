"""Payloads of trace events: what explains a turn (spec/protocol.md 3.7)."""

from typing import Any, Literal

from covel_host.trace.payload import EventPayload

Members = dict[str, Any]


class RunPayload(EventPayload):
    """Whose run it is; the turn's own events have neither."""

    runtime_id: str | None = None
    plugin_id: str | None = None
    run_id: str | None = None
    status: str | None = None
    duration_ms: int | None = None


class TurnStarted(EventPayload):
    """The execution begins; `seed` is that of its random numbers."""

    origin: str
    seed: int
    runtime_id: str | None = None


class SettleTimeout(EventPayload):
    """Jobs that the execution waited for did not end in time; both go on."""

    job_ids: list[str]


class TurnCompleted(EventPayload):
    """The runs are over; the commit follows."""

    status: str


class SchedulingHazard(EventPayload):
    """Runtimes that get into each other's way."""

    code: Literal["event-payload-dropped", "effects-conflict", "detached-in-foreground"]
    topic: str | None = None
    resource: str | None = None
    runtime_id: str | None = None
    runtime_ids: list[str] | None = None
    consumer_id: str | None = None


class FanoutFailed(EventPayload):
    """Committed events that an observer could not be told."""

    failed_count: int
    total_count: int
    errors: list[str]


class ToolEvent(RunPayload):
    """One call of a tool."""

    tool_name: str
    tool_call_id: str


class ToolCalling(ToolEvent):
    """The call as the model wrote it; `arguments` is text, valid JSON or not."""

    label: str | None = None
    arguments: str | None = None
    source: str | None = None
    approval_status: str | None = None


class ToolCompleted(ToolEvent):
    """`result` is the JSON text that the model reads."""

    result: str | None = None
    approval_status: str | None = None


class ToolFailed(ToolCompleted):
    """`error` is the whole message; the model may have got less of it."""

    code: str | None = None
    error: str | None = None
    hint: str | None = None
    details: list[Members] | None = None
    refused: bool | None = None


class ToolReplaced(ToolEvent):
    """A hook gave the model another result."""

    result: str | None = None


class ModelCalling(RunPayload):
    """A request to a model; `messages` and `tools` name parts of the prompt (docs/tracing.md).

    `outline` says what it was put together from, with estimated tokens.
    """

    slot: str | None = None
    model: str | None = None
    provider: str | None = None
    attempt: int | None = None
    streaming: bool | None = None
    response_format: str | None = None
    max_output_tokens: int | None = None
    message_count: int | None = None
    messages: list[str] | None = None
    tool_count: int | None = None
    tools: list[str] | None = None
    outline: Members | None = None


class Answered(RunPayload):
    """What a model's answer took, or why there is none."""

    slot: str | None = None
    model: str | None = None
    provider: str | None = None
    usage: Members | None = None
    cost: Members | None = None
    finish_reason: str | None = None
    raw_finish_reason: str | None = None
    queue_wait_ms: int | None = None
    http_requests: int | None = None
    tried: list[Members] | None = None
    error: str | None = None
    code: str | None = None


class ModelResponded(Answered):
    """The reply to the newest `llm.calling` of the run, or why there is none."""

    attempt: int | None = None
    text: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[Members] | None = None
    kind: str | None = None
    provider_code: str | None = None
    provider_type: str | None = None


class MessageCompleted(RunPayload):
    """A message was streamed to its end."""

    content: str
    len: int
    delta_count: int


class BlockEmitted(RunPayload):
    """An interface block was made."""

    proposal_id: str
    source: str
    block: Members


class ContextPruned(RunPayload):
    """The prompt did not fit the model's window; what was left out of it."""

    dropped_history: int | None = None
    shortened_results: int | None = None
    dropped_summaries: int | None = None


class ContextCompacted(RunPayload):
    """Old history was summarised."""

    summary_id: str
    summary_ids: list[str] | None = None
    messages_compacted: int
    token_savings: int | None = None
    focus_sections: list[str] | None = None
    summaries_merged: int | None = None
    summary_tokens: int | None = None
    total_summary_tokens: int | None = None
    summary_truncated: bool | None = None


class CompactionFailed(RunPayload):
    """Old history could not be summarised."""

    extension_id: str | None = None
    reason: str
    consecutive_failures: int


class ServiceCompleted(RunPayload):
    """One call of a service, over, or one question to an extension.

    `extension` is the extension's point and ID; `error` says why one was left out.
    """

    call_id: str | None = None
    parent_call_id: str | None = None
    caller_plugin_id: str | None = None
    provider_plugin_id: str | None = None
    name: str | None = None
    contract: str | None = None
    outcome: Literal["completed", "failed"] | None = None
    error_code: str | None = None
    extension: str | None = None
    error: str | None = None


class GatewayCalling(RunPayload):
    """Package code asks a model; its prompt is not kept."""

    method: str | None = None
    slot: str | None = None
    texts: int | None = None


class GatewayResponded(Answered):
    """The answer to package code, without its content."""

    method: str | None = None


class GatewayFailed(GatewayResponded):
    """Package code got no answer."""


class RecursiveCall(RunPayload):
    """A run inside this one: `runtimeId` is the runtime that was called."""

    depth: int | None = None
    code: str | None = None
    error: str | None = None


class Subagent(RunPayload):
    """A sub-agent of this run: `runtimeId` is the runtime that was asked."""

    parent_call_id: str | None = None
    character_id: str | None = None
    stop_reason: str | None = None
    steps: int | None = None
    usage: Members | None = None
    code: str | None = None
    error: str | None = None


class Fetch(RunPayload):
    """A request to the network: never its URL, query, headers or body."""

    host: str | None = None
    method: str | None = None
    code: str | None = None
    error: str | None = None
    status: int | None = None  # type: ignore[assignment]  # the answer's, not the run's


class Command(EventPayload):
    """A player's command; such a trace belongs to no turn and is only shown live."""

    invocation_id: str
    command_id: str
    command: str
    plugin_id: str
    action: str
    source: Literal["composer", "plugin-ui"]
    canonical: str
    raw: str
    argv: list[str]
    args: Any = None
    duration_ms: int | None = None
    result_ok: bool | None = None
    error: str | None = None


class HookCall(RunPayload):
    """A life-cycle hook was called; `pluginId` is the hook's package."""

    event: str | None = None
    hook_name: str | None = None
    target_id: str | None = None
    target_type: str | None = None
    proposal_type: str | None = None
    changed: list[str] | None = None
    ignored: list[str] | None = None
    reason: str | None = None
    is_guard: bool | None = None
    kind: str | None = None
    error_type: str | None = None
    message: str | None = None
