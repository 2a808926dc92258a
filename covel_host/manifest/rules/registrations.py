"""Hooks and registrations of the entry against `contributes` (spec/decisions.md 3).

What is certain to fail at loading is an error here under the same name; what merely cannot be seen
is a warning, since only loading knows (spec/manifest.md 7).
"""

import ast
from collections.abc import Iterator
from typing import Final

from covel_host.diagnostics.near_names import nearest
from covel_host.manifest.rules.code_modules import CodeModule, Registered
from covel_host.manifest.rules.entry_code import (
    ALL_HOOKS,
    CONTRIBUTIONS,
    EntryFacts,
    declared_names,
    registered_name,
)
from covel_host.manifest.rules.module_view import SdkCall
from covel_host.manifest.rules.rule import FileProblem, Path, Problem, Rule, field, rule
from covel_host.manifest.rules.tool_names import is_framework_tool
from plugin_sdk.names import LIFE_CYCLE_HOOKS


@rule("decisions 3", "unknown-hook", "Functions marked as hooks are hooks, and hooks are marked.")
def unknown_hook(entry: EntryFacts) -> Iterator[FileProblem]:
    module = entry.module
    if module is None or module.view is None:
        return
    for hook in entry.marked():
        if hook.event is not None and hook.event not in ALL_HOOKS:
            near = nearest(hook.event, ALL_HOOKS)
            yield FileProblem(
                module.file.name,
                module.span(hook.definition),
                f"{hook.event!r} is marked as a hook, and the host has no hook of that name.",
                f"The nearest hook is {near!r}."
                if near is not None
                else f"The host has {', '.join(ALL_HOOKS)}.",
            )
    for definition in module.view.definitions:
        plain = not definition.decorator_list and not isinstance(definition, ast.ClassDef)
        if plain and definition.name in ALL_HOOKS and module.view.bound[definition.name] == 1:
            yield FileProblem(
                module.file.name,
                module.span(definition),
                f"{definition.name!r} is named like a hook and not marked with @hookimpl, so it "
                "is never called.",
                "Put @hookimpl above it, or give it another name.",
            )


@rule("4.4", "registration-undeclared", "What the entry registers is declared.")
def undeclared(entry: EntryFacts) -> Iterator[FileProblem]:
    for contribution in CONTRIBUTIONS:
        if not entry.root.sound("contributes", contribution.member):
            continue
        declared = declared_names(contribution, entry.root)
        for item in entry.returned(contribution.hook, contribution.decorator)[0]:
            name = registered_name(item)
            reserved_tool = contribution.member == "tools" and is_framework_tool(name or "")
            if name is not None and name not in declared and not reserved_tool:
                yield FileProblem(
                    item.module.file.name,
                    item.module.span(item.call.node),
                    f"{name!r} is registered, and `contributes.{contribution.member}` of PLUGIN.md "
                    "does not list it.",
                    _declare_hint(name, declared, contribution.member),
                )
    yield from _undeclared_hooks(entry)


@rule("4.4", "registration-not-seen", "What is declared is registered by the entry.")
def not_seen(entry: EntryFacts) -> Iterator[Problem]:
    if not entry.closed:
        return
    for contribution in CONTRIBUTIONS:
        items, complete = entry.returned(contribution.hook, contribution.decorator)
        if entry.has_name(contribution.hook) and not complete:
            continue
        seen = [registered_name(item) for item in items]
        if None in seen:
            continue
        for index, name in enumerate(declared_names(contribution, entry.root)):
            if name not in seen:
                path: Path = ("contributes", contribution.member, index)
                yield _not_seen(entry, path, name.rpartition("/")[2], contribution.hook)
    yield from _hooks_not_seen(entry)


@rule("6.6", "registration-reserved", "A registered tool has no name of the framework.")
def reserved(entry: EntryFacts) -> Iterator[FileProblem]:
    for item in entry.returned("register_tools", "tool")[0]:
        name = registered_name(item)
        if name is not None and is_framework_tool(name):
            yield FileProblem(
                item.module.file.name,
                item.module.span(item.call.node),
                f"The tool name {name!r} belongs to the framework.",
                "Give the tool another name.",
            )


@rule("6.6", "tool-definition", "The options of a tool agree with each other.")
def tool_definition(module: CodeModule) -> Iterator[FileProblem]:
    view = module.view
    if view is None:
        return
    for definition in view.definitions:
        for call in view.sdk_calls(definition):
            if call.name != "tool":
                continue
            why = _contradiction(Registered(module, definition, call))
            if why is not None:
                yield FileProblem(
                    module.file.name,
                    module.span(call.node),
                    f"{why.rstrip('.')}.",
                    "Correct the options; the decorator raises when the module is imported.",
                )


def _contradiction(item: Registered) -> str | None:
    """What the SDK itself says against the options that are literals."""
    # Imported here: only packages with code of their own need the SDK's tools.
    from plugin_sdk.errors import DefinitionError
    from plugin_sdk.tools import ToolAnnotations, check_tool

    call = item.call
    read_only = call.options.get("read_only", False)
    writes = call.options.get("stages_writes")
    limit = call.options.get("timeout_ms")
    known = {"read_only", "stages_writes", "concurrency_safe", "timeout_ms", None}
    if call.unknown & known or not isinstance(read_only, bool):
        return None
    annotations = ToolAnnotations(
        read_only=read_only,
        stages_writes=not read_only if writes is None else writes is True,
        concurrency_safe=call.options.get("concurrency_safe") is True,
    )
    name = registered_name(item)
    try:
        check_tool(
            "a" if name is None else name,
            annotations=annotations,
            timeout_ms=limit,  # type: ignore[arg-type]  # a literal of any kind, which is checked
        )
    except DefinitionError as error:
        return str(error)
    return None


def _declare_hint(name: str, declared: list[str], member: str) -> str:
    near = nearest(name, declared)
    if near is not None:
        return f"The nearest declared name is {near!r}."
    return f"Add {name.rpartition('/')[2]!r} to `contributes.{member}`."


def _undeclared_hooks(entry: EntryFacts) -> Iterator[FileProblem]:
    module = entry.module
    if module is None or not entry.root.sound("contributes", "hooks"):
        return
    declared = {(hook.event, hook.enforce) for hook in entry.root.contributes.hooks}
    for hook in entry.marked():
        event = LIFE_CYCLE_HOOKS.get(hook.event or "")
        order = _order(hook.call)
        if event is None or order is None or (event, order) in declared:
            continue
        orders = [enforce for name, enforce in declared if name == event]
        said = f"with enforce: {orders[0]}" if orders else "not at all"
        yield FileProblem(
            module.file.name,
            module.span(hook.call.node),
            f"{hook.event!r} is registered with the order {order!r}, and `contributes.hooks` of "
            f"PLUGIN.md lists {event!r} {said}.",
            f"Write {{ event: {event}, enforce: {order} }} there."
            if order != "normal" or orders
            else f"Add {{ event: {event} }} there.",
        )


def _hooks_not_seen(entry: EntryFacts) -> Iterator[Problem]:
    """Life-cycle hooks; an imported function may be one under any name, so nothing is concluded
    from an entry that imports from its own package."""
    view = None if entry.module is None else entry.module.view
    if view is not None and any(level for level, _, _ in view.imported.values()):
        return
    marked = list(entry.marked())
    if any(hook.event is None for hook in marked):
        return
    seen = {LIFE_CYCLE_HOOKS.get(hook.event or "") for hook in marked}
    functions = {event: name for name, event in LIFE_CYCLE_HOOKS.items()}
    for index, hook in enumerate(entry.root.contributes.hooks):
        if hook.event not in seen and not entry.has_name(functions[hook.event]):
            path: Path = ("contributes", "hooks", index)
            yield _not_seen(entry, path, hook.event, functions[hook.event])


def _not_seen(entry: EntryFacts, path: Path, name: str, hook: str) -> Problem:
    if entry.module is None:
        return Problem(
            path,
            f"{field(path)} declares {name!r}, and the package has no entry that registers it.",
            f"Add server/index.py with a function {hook!r}, marked with @hookimpl.",
        )
    return Problem(
        path,
        f"{field(path)} declares {name!r}, and {entry.module.file.name} does not seem to register "
        "it.",
        f"Register it in {hook!r}, marked with @hookimpl, or remove the declaration.",
    )


def _order(call: SdkCall) -> str | None:
    if "order" in call.unknown or None in call.unknown:
        return None
    order = call.options.get("order", "normal")
    return order if isinstance(order, str) else None


ENTRY_RULES: Final[tuple[Rule[EntryFacts], ...]] = (unknown_hook, undeclared, not_seen, reserved)
MODULE_RULES: Final[tuple[Rule[CodeModule], ...]] = (tool_definition,)
