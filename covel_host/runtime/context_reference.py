"""The authors' page of contexts, made of the protocols that they annotate with."""

import functools
import inspect
import itertools
import re
from collections.abc import Iterator
from typing import Any, Final

from covel_host.base.docstring_text import call_text, docstring_text
from plugin_sdk import capabilities, context, gateway

INTRODUCTION: Final = """\
# Contexts

{generated}

The host hands a context to every function of a package. Annotate the parameter with its protocol,
all from `plugin_sdk`: an editor then knows its members, and so does a type checker. A test builds
one with [the test kit](test-kit.md#without-a-host).

A context ends with the call it was made for. What is read is a copy, and changing it changes
nothing. What this version does not serve, images, speech and music among it, answers
`ToolError("unavailable")`; see [What is served](served.md).
"""

_RECEIVED: Final[dict[type, str]] = {
    context.ToolContext: "a tool, `@tool`",
    context.FunctionContext: "the handler of a function runtime",
    context.GuardContext: "a guard",
    context.ActionContext: "an RPC action or a player command, `@action`",
    context.FormContext: "a form validator",
    context.ServiceContext: "a service",
    context.ExtensionContext: "an extension",
    context.HookContext: "a life-cycle hook",
    context.Registrar: "a registration hook, as its argument `covel`",
}
"""Which function is handed which context."""

_MODULE: Final = re.compile(r"\b(?:\w+\.)+(?=\w)")
"""What stands before a type's name, such as `collections.abc.`."""


def reference_page(generated: str) -> str:
    """`docs/contexts.md`; `generated` is the line that says so."""
    lines = [INTRODUCTION.format(generated=generated), "| Your function | Its context |"]
    lines.append("| --- | --- |")
    for protocol, function in _RECEIVED.items():
        lines.append(f"| {function} | {_link(protocol.__name__)} |")
    for protocol in _RECEIVED:
        lines += ["", *_section(protocol)]
    lines += ["", "## What contexts hold", "", "Each of them is reached through a member above."]
    for protocol in _held_protocols():
        lines += ["", *_section(protocol)]
    return "\n".join(lines) + "\n"


@functools.cache
def _held_protocols() -> tuple[type, ...]:
    """The protocols of what contexts hold, by name."""
    found = {
        name: value
        for module in (capabilities, gateway)
        for name, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == module.__name__
    }
    return tuple(found[name] for name in sorted(found))


def _section(protocol: type) -> Iterator[str]:
    yield f"## {protocol.__name__}"
    yield ""
    yield from docstring_text(protocol)
    members = dict(_members(protocol))
    facts = {name: one for name, one in members.items() if isinstance(one, property)}
    if facts:
        yield from ("", "| Member | Type | What it is |", "| --- | --- | --- |")
        yield from (_row(name, member) for name, member in facts.items())
    for name, member in members.items():
        if name not in facts:
            called = "" if name == "__call__" else f".{name}"
            awaited = "await " if inspect.iscoroutinefunction(member) else ""
            yield from (
                "",
                f"### `{awaited}{call_text(f'{_shown(protocol)}{called}', member)}`",
                "",
            )
            yield from docstring_text(member)


def _members(protocol: type) -> Iterator[tuple[str, Any]]:
    """Own members first, then those of the protocols it builds on."""
    for base in protocol.__mro__:
        if base.__module__.startswith("plugin_sdk"):
            for name, member in vars(base).items():
                is_public = not name.startswith("_") or name == "__call__"
                if is_public and (isinstance(member, property) or inspect.isfunction(member)):
                    yield name, member


def _shown(protocol: type) -> str:
    """How a function reaches it, such as `ctx.store`."""
    if protocol is context.Registrar:
        return "covel"
    held = (
        name
        for one in _RECEIVED
        for name, member in _members(one)
        if isinstance(member, property) and _type_of(member) == protocol.__name__
    )
    return ".".join(("ctx", *itertools.islice(held, 1)))


def _type_of(member: property) -> str:
    kind = inspect.signature(member.fget).return_annotation if member.fget else ""
    return _MODULE.sub("", kind if isinstance(kind, str) else _type_text(kind))


def _row(name: str, member: property) -> str:
    shown = _type_of(member)
    text = " ".join(" ".join(docstring_text(member)).split())
    return f"| `{name}` | {_link(shown)} | {_in_table(text)} |"


def _type_text(kind: Any) -> str:
    return kind.__name__ if inspect.isclass(kind) and not hasattr(kind, "__args__") else str(kind)


def _link(shown: str) -> str:
    """A type, linked where this page tells of it."""
    told = {one.__name__ for one in (*_RECEIVED, *_held_protocols())}
    if shown in told:
        return f"[`{shown}`](#{shown.lower()})"
    return _in_table(f"`{shown}`")


def _in_table(text: str) -> str:
    return text.replace("|", "\\|")
