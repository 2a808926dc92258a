"""Names that belong to the host, with what each is for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from plugin_sdk.names import (
    FRAMEWORK_NAMESPACES,
    FRAMEWORK_TOOL_NAMES,
    HIDDEN_NAMESPACE_PREFIX,
    LIFE_CYCLE_HOOKS,
    PACKAGE_HOOKS,
    REGISTRATION_HOOKS,
    RESERVED_ACTION_PREFIXES,
    RESERVED_NAMESPACE_PREFIX,
)


@dataclass(frozen=True, slots=True)
class ReservedName:
    """A name, or with `is_prefix` the beginning of names, that belongs to the host."""

    name: str
    kind: str
    explanation: str
    is_prefix: bool = False


_TOOLS: Final[Mapping[str, str]] = {
    "create-form": "asks the player to fill in a form",
    "create-choices": "offers the player a choice",
    "create-notification": "tells the player something without waiting for an answer",
    "render-ui": "shows an interface spec",
    "sync-characters": "creates and changes characters",
    "list-characters": "lists characters",
    "get-character": "reads one character",
    "world-dimension-get": "reads a world dimension",
    "world-dimension-list": "lists world dimensions",
    "emit-event": "emits a domain event",
    "suspend": "stops the run until the player has answered",
    "runtime-done": "ends the run",
    "delegate": "has a sub-agent do a part of the work",
    "search-tools": "finds deferred tools",
    "memory-search": "searches what happened earlier",
}


def reserved_names(
    *, extension_points: Sequence[str] = (), ui_slots: Sequence[str] = ()
) -> tuple[ReservedName, ...]:
    """All reserved names; the contracts of the kernel are the two lists given."""
    return (
        *_tools(),
        *_hooks(),
        *_prefixes(),
        *(_contract(name, "extension point") for name in extension_points),
        *(_contract(name, "UI slot") for name in ui_slots),
    )


def _tools() -> Iterator[ReservedName]:
    for name in FRAMEWORK_TOOL_NAMES:
        yield ReservedName(
            name,
            "a tool of the framework",
            f"The tool {_TOOLS[name]}. A runtime asks for it under `tools.builtin`. No package may "
            "register a tool of this name, so that a model never mistakes one for the other.",
        )


def _hooks() -> Iterator[ReservedName]:
    for name in REGISTRATION_HOOKS:
        what = name.removeprefix("register_").replace("_", " ")
        yield ReservedName(
            name,
            "a registration hook",
            f"A function of the entry module marked with `@hookimpl`; called once for each loaded "
            f"generation of the package, it returns the package's {what}. Each is declared under "
            "`contributes`.",
        )
    for name in PACKAGE_HOOKS:
        when = "after the package was registered" if name == "on_load" else "before it goes"
        yield ReservedName(
            name,
            "a hook for a package's own resources",
            f"A function of the entry module marked with `@hookimpl`, called {when}.",
        )
    for name, event in LIFE_CYCLE_HOOKS.items():
        yield ReservedName(
            name,
            "a life-cycle hook",
            f"A function of the entry module marked with `@hookimpl`, called at the event "
            f"{event}. The event is declared under `contributes.hooks`.",
        )
        yield ReservedName(
            event,
            "a life-cycle event",
            f"Listed under `contributes.hooks`; the function of the entry module is `{name}`.",
        )


def _prefixes() -> Iterator[ReservedName]:
    for prefix in RESERVED_ACTION_PREFIXES:
        yield ReservedName(
            prefix,
            "a reserved beginning of action names",
            "Names of RPC actions that begin so belong to the host, so that nobody takes a "
            "package's action for a grant of the host.",
            is_prefix=True,
        )
    for namespace in FRAMEWORK_NAMESPACES:
        yield ReservedName(
            namespace,
            "a namespace of the framework",
            "The framework keeps records of its own here; no package writes or reads them.",
        )
    yield ReservedName(
        HIDDEN_NAMESPACE_PREFIX,
        "the beginning of hidden namespaces",
        "Hidden world data for a namespace of the package. Only its own function runtimes reach "
        "it.",
        is_prefix=True,
    )
    yield ReservedName(
        RESERVED_NAMESPACE_PREFIX,
        "a reserved beginning of namespaces",
        "Namespaces that begin so belong to the framework.",
        is_prefix=True,
    )


def _contract(name: str, kind: str) -> ReservedName:
    use = "implement it" if kind == "extension point" else "fill it through `ui.slot@1`"
    return ReservedName(
        name,
        f"a contract of the host, {'an' if kind[0] == 'e' else 'a'} {kind}",
        f"Packages {use} under `contributes.extensions`. It cannot be listed under `conflicts`, "
        "since several packages may use it side by side.",
    )
