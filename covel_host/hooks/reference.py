"""The authors' page of life-cycle hooks, made of the table of events and what may be replaced."""

import dataclasses
import typing
from collections.abc import Iterator
from types import UnionType
from typing import Any, Literal

from covel_host.hooks.calling import DEFAULT_TIMEOUT_MS
from covel_host.hooks.reference_texts import CLOSING, INTRODUCTION, NOTES
from covel_host.hooks.replacements import REPLACEMENTS, Replacement
from covel_host.manifest.served import QUIET_HOOK_EVENTS
from plugin_sdk.hook_events import HOOK_EVENTS, HookEvent
from plugin_sdk.hooks import MAX_HOOK_TIMEOUT_MS
from plugin_sdk.proposals import Proposal
from plugin_sdk.values import JsonObject, JsonValue

_ABORTS: dict[str, str] = {
    "turn_start": "ends the execution; nothing runs",
    "pre_compaction": "leaves this turn's history as it is",
    "pre_runtime": "skips the runtime",
    "pre_tool_use": "refuses the call; the model reads the reason, `ctx.tools.call` fails with it",
    "pre_state_commit": "keeps the proposal from being committed, and with it its commit unit",
}
"""What an abort stops on each guard event."""

_KINDS: dict[object, str] = {
    str: "text",
    int: "whole number",
    bool: "true or false",
    Proposal: "a proposal",
    JsonValue: "any JSON",
    JsonObject: "JSON object",
}


def reference_page(generated: str) -> str:
    """`docs/hooks.md`; `generated` is the line that says so."""
    lines = [
        INTRODUCTION.format(
            generated=generated, limit=f"{DEFAULT_TIMEOUT_MS:,}", most=f"{MAX_HOOK_TIMEOUT_MS:,}"
        ),
        "| Function | Event | Scope | Called | Abort |",
        "| --- | --- | --- | --- | --- |",
        *map(_row, HOOK_EVENTS.values()),
    ]
    for event in HOOK_EVENTS.values():
        lines += ["", *_section(event)]
    return "\n".join(lines) + "\n\n" + CLOSING


def _row(event: HookEvent) -> str:
    called = "one by one" if event.mode == "sequential" else "all at once"
    return (
        f"| [`{event.name}`](#{event.name}) | `{event.event}` | {event.scope} | {called} "
        f"| {_abort(event)} |"
    )


def _abort(event: HookEvent) -> str:
    if event.is_guard:
        return _ABORTS[event.name]
    return "ends the chain" if event.mode == "sequential" else "changes nothing"


def _section(event: HookEvent) -> Iterator[str]:
    payload: Any = event.payload
    yield f"## {event.name}"
    yield ""
    yield f"`{event.argument}: {payload.__name__}`. {' '.join((payload.__doc__ or '').split())}"
    yield ""
    what = QUIET_HOOK_EVENTS.get(event.event)
    if what is not None:
        yield f"Not called yet: this version of the host does not serve {what}."
        yield ""
    yield "| Member | Value | Replace it by |"
    yield "| --- | --- | --- |"
    replacements = dict(REPLACEMENTS.get(event.name, {}))
    for field in dataclasses.fields(payload):
        replacement = replacements.pop(field.name, None)
        yield f"| `{field.name}` | {_kind(field.type)} | {_rule(replacement)} |"
    for name, replacement in replacements.items():
        yield f"| `{name}` | (in the answer only) | {_rule(replacement)} |"
    note = NOTES.get(event.name)
    if note is not None:
        yield ""
        yield note


def _rule(replacement: Replacement | None) -> str:
    return "" if replacement is None else replacement.rule


def _kind(type_: object) -> str:
    """The kind of value in a few words."""
    if type_ in _KINDS:
        return _KINDS[type_]
    arguments = typing.get_args(type_)
    if isinstance(type_, UnionType):
        return f"{_kind(arguments[0])}, or nothing"
    if typing.get_origin(type_) is tuple:
        return f"list of {_kind(arguments[0])}s"
    if typing.get_origin(type_) is Literal:
        return " or ".join(f"`{option}`" for option in arguments)
    # A record of the SDK, such as a tool's failure.
    names = ", ".join(f"`{field.name}`" for field in dataclasses.fields(typing.cast(Any, type_)))
    return f"`{getattr(type_, '__name__', '')}`: {names}"
