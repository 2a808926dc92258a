"""The reference page of the events, made of the table and of the models of their members."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from covel_host.trace.event_log import MAX_KEPT, MAX_PER_SESSION, MAX_SESSIONS, MAX_SUBSCRIPTIONS
from covel_host.trace.event_payloads import EVENT_PAYLOADS
from covel_host.trace.event_types import EVENT_TYPES, EventType
from covel_host.trace.subscription import MAX_WAITING

_INTRODUCTION: Final = """\
# Events

{generated}

What happens in a session is told in events of the closed list below. `Host.events` is their log:

```python
with host.events.subscribe(session_id, after=last_event_id) as events:
    async for event in events:
        print(event.event_id, event.type, event.payload)
```

An observer that is given to `Host.run`, `Host.play` and their like is told of the same events while
that request goes on; a model's text reaches it as `on_text`, and trace events as `on_trace`.

## Order and replay

- A `replayed` event has an ID, `<epoch>:<seq>`. `seq` rises by one within a session; an `epoch` is
  compared for equality only.
- A subscription begins with `system.connected`, whose `cursor` is the newest ID. With `after` what
  was missed follows, then what happens from then on: nothing twice, nothing left out.
- Where that cannot be kept there is no part of a replay but one `system.reset`: adopt its `cursor`
  and read the session again. Its `reason` is `epoch-change` (another process, or an ID that is
  none), `gap` (more was missed than is kept) or `publish-failed`.
- `live` events have no ID and are kept nowhere; `trace` ones are rows of their turn
  ([Tracing](tracing.md)) and reach a subscription only where `topics` name `trace` or `hooks`.
- What is committed is told after its commit and never before.
- The log lies in memory, the newest {kept} events of {sessions} sessions: what they tell of is
  stored anyway. A session has at most {per_session} subscriptions, a process {subscriptions}; one
  that falls {waiting:,} events behind is closed (`is_overrun`) and nobody else is held up.

## What is never told

- Of a concealed runtime (`io.concealed`) only whose run it was, how it ended and what it took:
  events then have `concealed: true` in place of their other members.
- Hidden data (`_hidden.*`), rows of the host (`__kernel:*`, `_runtime_jobs`), the rules of
  dimensions.
- Configured keys, and in errors whatever looks like a credential.

## Streaming

`narrative.delta` brings the text of stories, and of what was started by hand, as it comes. With
`reset: true` and an empty `delta` everything shown of that runtime is dropped: text before a tool
call, a rejected draft, a reply that is asked for again. What a story had written before a player's
interjection is no draft: it is sent once more after a reset. `narrative.completed` has the final
text, in place of all that was streamed."""

_SENDERS: Final = {
    "commit": "the commit",
    "execution": "the execution",
    "run": "a run",
    "session": "between turns",
    "host": "the log itself",
    "nobody": "not sent yet",
}


def reference_page(generated: str) -> str:
    """`docs/events.md`; `generated` is the line that says so."""
    introduction = _INTRODUCTION.format(
        generated=generated,
        kept=MAX_KEPT,
        sessions=MAX_SESSIONS,
        per_session=MAX_PER_SESSION,
        subscriptions=MAX_SUBSCRIPTIONS,
        waiting=MAX_WAITING,
    )
    session = [one for one in EVENT_TYPES.values() if not one.is_trace]
    traces = [one for one in EVENT_TYPES.values() if one.is_trace]
    lines = [
        introduction,
        "",
        "## Session events",
        "",
        *_table(session),
        "",
        "## Trace events",
        "",
        *_table(traces),
        "",
        "## Members",
    ]
    for name in EVENT_TYPES:
        lines += ["", f"### {name}", "", *_members(name)]
    return "\n".join(lines) + "\n"


def _table(events: list[EventType]) -> Iterator[str]:
    yield "| Event | Topic | Kept | Sent by |"
    yield "| --- | --- | --- | --- |"
    for one in sorted(events, key=lambda each: each.name):
        yield f"| `{one.name}` | {one.topic} | {one.keeping} | {_SENDERS[one.sender]} |"


def _members(name: str) -> Iterator[str]:
    model = EVENT_PAYLOADS[name]
    schema = model.model_json_schema(by_alias=True)
    yield re.sub(r"\s+", " ", str(model.__doc__)).strip()
    members: Mapping[str, Any] = schema["properties"]
    required = schema.get("required", [])
    shown = [
        f"`{member}`" + ("" if member in required else "?")
        for member in members
        if member != "concealed"
    ]
    if shown:
        yield ""
        yield ", ".join(sorted(shown, key=lambda one: one.endswith("?")))
