"""What the page of hooks says around its tables; `docs/hooks.md` is made of it."""

from typing import Final

INTRODUCTION = """\
# Hooks

{generated}

A life-cycle hook is a function of the entry module that the host calls when something happens in a
session. It watches, replaces what the event lets it replace, or stops what is about to happen. It
cannot write: whatever it wants changed goes through its answer. Events that this version of the
host does not call yet say so below; a hook for one of them is loaded and told (`not-served-yet`).

Declare the event in `PLUGIN.md`:

```yaml
contributes:
  hooks:
    - event: PreToolUse
      enforce: pre
    - event: PostLLMResponse
```

and mark a function of that name in the entry:

```python
from plugin_sdk import HookContext, HookResult, ModelResponse, ToolCall, abort, hookimpl, proceed


def is_bell(call: ToolCall) -> bool:
    return call.name == "ring-bell"


@hookimpl(order="pre", match=is_bell, timeout_ms=1000)
def pre_tool_use(ctx: HookContext, call: ToolCall) -> HookResult | None:
    times = call.arguments.get("times")
    if not isinstance(times, int):
        return None
    if times > 12:
        return abort("The bell rings twelve times at most. Ask for fewer.")
    most = ctx.get_own_settings().get("mostRings")
    if isinstance(most, int) and most < times:
        return proceed(replace={{"arguments": {{**call.arguments, "times": most}}}})
    return None


@hookimpl(event="post_llm_response")
async def keep_the_secret(ctx: HookContext, response: ModelResponse) -> HookResult | None:
    if "lighthouse" in str(response.response["text"]).lower():
        return proceed(replace={{"correction": "Do not name the lighthouse yet. Write it again."}})
    return None
```

## Functions

- The function's name is the event's, in the first column below. Several functions for one event
  have names of their own and say `event=…`. `ctx` and the payload are passed by name; either may be
  left out.
- An `async` function runs on the host's event loop and must not block it; a plain one runs in a
  thread of its own.
- `match` is a plain function of the payload that returns `True` or `False`; the hook is called when
  it returns `True`.
- A call has {limit} ms, or its own `timeout_ms` (1 to {most}), `match` included. What is late is
  cancelled, or left alone if it is a thread, and counts for nothing.
- The payload is a private copy, for `match` and for every hook: changing it in place does nothing.

`ctx` has `event`, `session_id`, `turn_id` (empty for session events), `locale`, `plugin_id` and
`runtime_id` of the runtime concerned (runtime events only), `active_plugin_ids`, `signal` and
`get_own_settings()`: the settings of your own package, frozen. After the call the settings answer
`unavailable`, and `signal` is cancelled.

## Order

`pre`, `normal`, `post` (`enforce` in the manifest and `order` in the code say the same). Inside a
group the host's own hooks come first, then packages: those a package requires before it, else by
ID; then the order of definition. Only hooks of packages that are active in the session are called.

## Answers

- Nothing, or `proceed()`: go on.
- `proceed(replace={{…}})`: go on with other members; the next hook sees them. Members are named as
  in Python. Other names count for nothing, which a warning says together with the names that count.
  If one of them has the wrong form, none is used.
- `abort("reason")`: see the table. It ends the chain: later hooks are not called.

On the events that are called all at once, answers change nothing.

## Failures

An exception, a call that is late, and an answer of another form are failures. On an event whose
abort stops something, a failure stops it too. Elsewhere the hook is passed over, and what earlier
hooks replaced is kept. The trace tells what happened; the traceback is in the log only.

| Trace event | When |
| --- | --- |
| `hook.fired` | it was called and changed nothing; `ignored` names members that do not count |
| `hook.rewrote` | it replaced what `changed` names |
| `hook.aborted` | it answered with an abort, or failed on an event whose abort stops something |
| `hook.error` | it failed: `kind`, `errorType`, `message` |

## Events
"""

NOTES: Final[dict[str, str]] = {
    "session_start": """\
Called once for a session: by the execution that it was made for, before anything else of that; else
as soon as it is stored. Its packages are loaded for it, as far as their code may run. A hook that
fails keeps no session from being there.""",
    "turn_start": """\
The execution then ends with the code `turn-vetoed`, and its `abortReason` is the reason of the
abort. No runtime was started and no model asked; the turn is kept as failed.""",
    "pre_compaction": """\
Called at most once in an execution, when its history is too long for the models and a package is
about to be asked for summaries ([Prompts](prompts.md#compaction)). `message_count` is how many
messages may be summarised.""",
    "post_compaction": """\
Called when the package has answered and what it gave was stored or thrown away. `summary_id` is the
newest summary.""",
    "pre_schedule": """\
Called once in an execution, behind `turn_start`, with the runtimes that were selected for it. One
that a hook leaves out is not run.""",
    "pre_runtime": """\
Called behind the check of the required inputs and before the guard. `input` has `playerMessage`,
`manualPayload`, `triggerEvent`, `inputs` and `exports`, as far as there are any.""",
    "post_context_assembly": """\
Called once in a run of an agent. `output_kind` says what ends the run: `prose`, `output` or
`runtime-done`. A message that a hook wrote or changed is never trimmed.""",
    "pre_llm_call": """\
Called for each reply that is asked for; a request that is sent again after an error is not
announced again. `messages` are those without `prompt_segments`, which are put in their places
afterwards, in this call and in the later ones of the run. `model` is empty where no slot answers. A
slot that nobody configured fails the run (`config-error`).""",
    "post_llm_response": """\
Called before any call of the reply is run. Where the text was changed, what the player has seen of
it is taken back. `messages` are those that were sent.""",
    "post_runtime": """\
Called when agent or function has ended, also when it failed or ran into its limit; not for a
runtime that was skipped or aborted. A changed success is checked once more against output schema
and contract. The prose of an agent's story is what `canonicalValue` holds afterwards. A run that
failed writes nothing, whatever its result says then, and a failure that a hook made does not count
against the package.""",
    "pre_tool_use": """\
Called for all calls of a reply before the first of them is run, and for each `ctx.tools.call`. A
call whose arguments are no JSON object is not announced: it fails anyway. An aborted call of an
agent stands in history and trace and counts for nothing.""",
    "post_tool_use": """\
Called in the model's order for the calls that were run, failed ones included. A replaced result is
what code and model read and what the audit keeps; the trace tells it as `tool.replaced`. What the
call staged stays staged, and a failed call stays a failed call. After `terminate` the other calls
of the reply get results without being run; those a function makes afterwards are `cancelled`, which
fails it.""",
    "pre_state_commit": """\
Called for the proposals of a run that may commit, in their order, before the transaction. IDs and
type stay, and the commit checks what it gets as ever. A proposal that was kept back has the code
`proposal-vetoed`; those behind it in the run are not asked about. What an RPC action writes belongs
to no runtime and is committed at once: neither this hook nor `post_state_commit` is called for
it.""",
    "post_state_commit": """\
Called for each proposal in its order, when everything is stored and told. `result` has `proposalId`
and the session's `revision`.""",
    "turn_stop": """\
Not called for an execution that was aborted.""",
    "session_end": """\
Called when a person ended the session, and when it is about to be deleted: nothing runs in it any
more, and its rows are still there. Packages whose code may not run without being asked for are not
told. A hook that fails keeps nothing from ending. A deletion that was interrupted is finished
without another call.""",
}
"""What authors need to know of an event besides its table, by function name."""

CLOSING = """\
## Forms

A message of a prompt is one of

```json
{"role": "system", "content": "…"}
{"role": "user", "content": "…"}
{"role": "assistant", "content": "…", "toolCalls": [{"id": "c1", "name": "…", "arguments": "{}"}]}
{"role": "tool", "content": "…", "toolCallId": "c1", "toolName": "…"}
```

`arguments` is the text that the model wrote. An offered tool is
`{"name", "description", "inputSchema"}`. A response has `text`, `toolCalls`, `finishReason`,
`usage` (`inputTokens`, `outputTokens`), `provider` and `model`. A result of a runtime has
`pluginId`, `runtimeId`, `runId`, `turnId`, `status`, `output`, `canonicalValue`, `completion`,
`error`, `toolCalls` (`{"id", "name", "status", "error"}`) and more, as far as there is something to
say. A segment has `id`, `content`, `position` (`system`, `pre-history` or `post-history`), `role`,
`audience`, `volatility` and `order`.
"""
