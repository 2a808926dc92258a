"""Life-cycle hooks of an entry, compared with `contributes.hooks` (spec/manifest.md 4.7, 10.5)."""

from collections.abc import Iterator, Sequence

from covel_host.catalog.entry_hooks import EntryHooks, FoundHook
from covel_host.catalog.entry_places import EntryPlaces
from covel_host.catalog.registered_hook import RegisteredHook
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.contributed_code import Hook
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.reading import PackageReading
from plugin_sdk.names import LIFE_CYCLE_HOOKS


def register_hooks(
    hooks: EntryHooks, reading: PackageReading, places: EntryPlaces
) -> tuple[tuple[RegisteredHook, ...], list[Diagnostic]]:
    """The life-cycle hooks in order of definition, and what differs from the manifest."""
    declared = _declared(reading)
    registered = tuple(
        RegisteredHook(
            plugin_id=reading.plugin_id,
            event=found.event,
            function=found.function,
            function_name=found.function.__name__,
            arguments=found.arguments,
            order=found.options.order,
            match=found.options.match,
            timeout_ms=found.options.timeout_ms,
            position=position,
        )
        for position, found in enumerate(hooks.life_cycle)
    )
    problems = [
        *_undeclared(hooks.life_cycle, declared, places),
        *missing_hooks(hooks, reading),
    ]
    return registered, problems


def missing_hooks(hooks: EntryHooks, reading: PackageReading) -> list[Diagnostic]:
    """Every declared hook that no function of the entry implements."""
    top = reading.files.get(ROOT_MANIFEST)
    if top is None:
        return []
    declared = _declared(reading)
    registered = {_event_and_order(found) for found in hooks.life_cycle}
    # Where an event is registered with another order, that is told at its function.
    told = {event for event, _ in registered - {(hook.event, hook.enforce) for hook in declared}}
    told |= {LIFE_CYCLE_HOOKS[name] for name in hooks.faulty if name in LIFE_CYCLE_HOOKS}
    return [
        top.report(
            "registration-missing",
            f"`contributes.hooks` lists {hook.event!r} with enforce: {hook.enforce}, and the "
            "entry does not register it.",
            path=("contributes", "hooks", index),
            hint=f"Write {_marked(hook)} in the entry module.",
        )
        for index, hook in enumerate(declared)
        if hook.event not in told and (hook.event, hook.enforce) not in registered
    ]


def _undeclared(
    found: Sequence[FoundHook], declared: Sequence[Hook], places: EntryPlaces
) -> Iterator[Diagnostic]:
    listed = {(hook.event, hook.enforce) for hook in declared}
    for each in found:
        event, order = _event_and_order(each)
        if (event, order) in listed:
            continue
        others = [hook.enforce for hook in declared if hook.event == event]
        if others:
            message = (
                f"The hook {each.event!r} is registered with the order {order!r}, and "
                f"`contributes.hooks` lists {event!r} with enforce: {others[0]}."
            )
            hint = "Write one order in both places."
        else:
            message = (
                f"The hook {each.event!r} is registered, and `contributes.hooks` does not list "
                f"{event!r}."
            )
            enforce = "" if order == "normal" else f", enforce: {order}"
            hint = f"Add {{ event: {event}{enforce} }} to `contributes.hooks` in PLUGIN.md."
        yield places.report("registration-undeclared", message, function=each.function, hint=hint)


def _declared(reading: PackageReading) -> tuple[Hook, ...]:
    return () if reading.manifest is None else tuple(reading.manifest.contributes.hooks)


def _event_and_order(found: FoundHook) -> tuple[str, str]:
    return LIFE_CYCLE_HOOKS[found.event], found.options.order


def _marked(hook: Hook) -> str:
    """How the function of a declared hook begins."""
    name = next(name for name, event in LIFE_CYCLE_HOOKS.items() if event == hook.event)
    mark = "@hookimpl" if hook.enforce == "normal" else f"@hookimpl(order={hook.enforce!r})"
    return f"a function {name!r} marked with {mark}"
