"""Names that a manifest gives once (spec/manifest.md 6.3 rule 10), and lists that repeat."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from covel_host.diagnostics.diagnostic import Fix
from covel_host.manifest.frontmatter import Frontmatter
from covel_host.manifest.rules.facts import RootFacts, RuntimeFacts
from covel_host.manifest.rules.rule import Path, Problem, field, first_place, rule

_OTHER_NAME: Final = "Remove one of the two, or choose another name."
Named = Iterable[tuple[Path, str]]


@rule("6.3.10", "duplicate-item", "A manifest gives each name of a contribution once.")
def names_once(root: RootFacts) -> Iterator[Problem]:
    contributes = root.contributes
    for member in ("tools", "actions", "services", "wires", "forms"):
        names = getattr(contributes, member)
        yield from _again(_listed(("contributes", member), names), root.frontmatter, _OTHER_NAME)
    keyed = (
        ("events", "topic", [event.topic for event in contributes.events]),
        ("settings", "key", [setting.key for setting in contributes.settings]),
        ("prompt", "id", [segment.id for segment in contributes.prompt]),
    )
    for member, key, names in keyed:
        places: list[tuple[Path, str]] = [
            (("contributes", member, index, key), name) for index, name in enumerate(names)
        ]
        yield from _again(places, root.frontmatter, _OTHER_NAME)
    yield from _again(_command_names(root), root.frontmatter, _OTHER_NAME)


@rule("4.1", "repeated-item", "Lists of the root manifest name nothing twice.")
def root_lists(root: RootFacts) -> Iterator[Problem]:
    manifest = root.manifest
    lists: tuple[tuple[str, Iterable[str]], ...] = (
        ("tags", manifest.tags),
        ("provides", [item.contract for item in manifest.provided_contracts]),
        ("requires", manifest.requires),
        ("optional", manifest.optional),
        ("conflicts", manifest.conflicts),
    )
    for name, items in lists:
        yield from _again(_listed((name,), items), root.frontmatter)
    hooks = [f"{hook.event} ({hook.enforce})" for hook in root.contributes.hooks]
    yield from _again(_listed(("contributes", "hooks"), hooks), root.frontmatter)
    for index, contract in enumerate(manifest.optional):
        if contract in manifest.requires:
            path: Path = ("optional", index)
            yield Problem(
                path,
                f"{field(path)} is {contract!r}, which 'requires' lists already.",
                "Keep it in one of the two: 'requires' when the package cannot do without.",
                related=first_place(
                    root.frontmatter, ("requires", manifest.requires.index(contract))
                ),
            )


@rule("5.4", "repeated-item", "Lists of a runtime name nothing twice.")
def runtime_lists(runtime: RuntimeFacts) -> Iterator[Problem]:
    tools, function = runtime.agent.tools, runtime.manifest.function
    deferred: tuple[str, ...] = () if tools.defer is True else tools.defer
    lists = [
        (("agent", "tools", "builtin"), tools.builtin),
        (("agent", "tools", "plugin"), tools.plugin or ()),
        (("agent", "tools", "defer"), deferred),
        (("agent", "completion", "afterTools"), runtime.agent.completion.after_tools),
    ]
    if function is not None:
        lists.append((("function", "tools", "builtin"), function.tools.builtin))
        lists.append((("function", "tools", "plugin"), function.tools.plugin))
    for path, names in lists:
        yield from _again(_listed(runtime.at(*path), names), runtime.reading.frontmatter)


def _command_names(root: RootFacts) -> Iterator[tuple[Path, str]]:
    """Names and aliases of all commands; within one command they were compared while reading."""
    seen: set[tuple[int, str]] = set()
    for index, command in enumerate(root.contributes.commands):
        path: Path = ("contributes", "commands", index)
        names = [((*path, "name"), command.name)]
        names += [((*path, "aliases", at), alias) for at, alias in enumerate(command.aliases)]
        for place, name in names:
            if (index, name) not in seen:
                seen.add((index, name))
                yield place, name


def _listed(path: Path, names: Iterable[str]) -> Iterator[tuple[Path, str]]:
    return (((*path, index), name) for index, name in enumerate(names))


def _again(
    names: Named, frontmatter: Frontmatter, hint: str = "Remove one of the two."
) -> Iterator[Problem]:
    """A problem for each of `names` that was there before; with the default `hint` it can go."""
    first: dict[str, Path] = {}
    for path, name in names:
        known = first.setdefault(name, path)
        if known is not path:
            yield Problem(
                path,
                f"{field(path)} is {name!r}, which {field(known)} is already.",
                hint,
                related=first_place(frontmatter, known),
                repair=None if hint is _OTHER_NAME else _without(path),
            )


def _without(path: Path) -> Callable[[Frontmatter], Fix | None]:
    def repair(frontmatter: Frontmatter) -> Fix | None:
        # Imported here: only lists with mistakes need it.
        from covel_host.manifest.repairs import remove_item

        return remove_item(frontmatter, path)

    return repair


ROOT_RULES: Final = (names_once, root_lists)
RUNTIME_RULES: Final = (runtime_lists,)
