"""The texts of the authors' page of extension points."""

from typing import Final

INTRODUCTION: Final = """\
# Extensions

{generated}

An extension is code of a package that the host asks at a point of its own: for pieces of prompts,
for summaries of a long history, for the world. It is declared in `contributes.extensions`, made
with `@extension`, and returned by `register_extensions`.

<!-- example: tide-hints/PLUGIN.md -->
```markdown
---
description: Tells every agent of the session how the tide stands.
contributes:
  extensions:
    - {{ point: prompt.segment@1, id: tide, order: 10 }}
---
```

<!-- example: tide-hints/server/index.py -->
```python
from plugin_sdk import ExtensionContext, PromptQuery, PromptSegment, extension, hookimpl


@extension("prompt.segment@1", id="tide")
async def tide(ctx: ExtensionContext, query: PromptQuery) -> list[PromptSegment]:
    level = "high" if ctx.random.random() < 0.5 else "low"
    return [
        PromptSegment(id="level", content=f"The tide is {{level}}.", position="pre-history"),
        PromptSegment(
            id="style",
            content="Name the tide when it matters.",
            position="system",
            volatility="stable",
            audience="story",
        ),
    ]


@hookimpl
def register_extensions():
    return [tide]
```

- Only packages that are active in the session, and whose code may run, are asked. Several are
  ordered by `order` of the manifest, then package, then ID. Of a point that takes one
  implementation a session has one.
- The query is a copy and the answer is checked. An extension that raises, is late or answers
  something else is **left out of the rest of the execution**: the run goes on, the trace has an
  event `plugin.service.completed` with `extension` and `outcome: "failed"`, the log one line.
- The context reads: own data (`ctx.plugin_data`, without `_hidden.*`), `ctx.world`, services that
  change nothing, models, HTTP. What it reads is nothing that the run rests on. Everything is
  withdrawn when the call ends; `ctx.signal` is cancelled when nobody waits any more.
- An async function runs on the host's loop and must not block it; a plain one gets a thread.
"""

NOTES: Final[dict[str, str]] = {
    "prompt.segment@1": """\
Where a segment stands: see [Prompts](prompts.md#segments). Its text is put in as it is: no variable
in it is filled in, and it is never trimmed. One extension may give 32 segments with 50,000
characters together, each with an ID of its own. A runtime that plays a character gets only segments
for `self` or for its contract.""",
    "prompt.history-transform@1": """\
Changes what agents read, never what is stored; windows and counts stay those of the stored
messages. A transform may change contents and leave messages out. A message that it was not given,
one that stands twice, and another order are refused; every other member is put back as it was.""",
    "history.compact@2": """\
When it is asked and what is protected: see [Prompts](prompts.md#compaction). The segments for
messages cover the oldest ones, in order and without a gap; a segment that replaces summaries covers
the oldest of these. All summaries together have to keep to `summary_budget`, and a summary must be
shorter than what it stands for. Twice `max_segment_tokens` is refused. One that was cut off
(`truncated`) is thrown away, and those behind it, unless it fills nine tenths of
`max_segment_tokens`. Raise an error when there is no summary to be had; `None` says that nothing
needs one. Write with `ctx.gateway`, such as with the slot `fast`.""",
    "session.world-context@1": """\
The members it gives stand in place of the host's own `world.schema`, `world.entries` and
`world.dimensions` in prompt bodies. `dimension_recovery` must name runtimes of the same package.
Who provided it is filled in by the host.""",
}

CLOSING: Final = """\
`covel new plugin NAME --template extension` copies a package with a segment and a transform.
"""
