"""Rules inside one object of `contributes`, which its fields alone cannot state
(spec/manifest.md 4.5, 4.6, 4.9, 4.10 and 6.1; spec/decisions.md 2).

They see a model whose faulty groups are empty, so a fault elsewhere hides none of them. Rules that
join different groups, files or packages are not here.
"""

from collections.abc import Iterable, Iterator

from covel_host.diagnostics.diagnostic import Diagnostic, Related, dotted
from covel_host.manifest.commands import Command
from covel_host.manifest.contributed_code import Extension
from covel_host.manifest.contributed_data import Authoring, DataNamespace
from covel_host.manifest.contributed_interface import Setting
from covel_host.manifest.contributions import Contributions
from covel_host.manifest.frontmatter import Frontmatter
from plugin_sdk.names import RESERVED_ACTION_PREFIXES, is_reserved_action

Path = tuple[str | int, ...]


def contribution_problems(
    contributions: Contributions, frontmatter: Frontmatter
) -> Iterator[Diagnostic]:
    """The problems inside single contributions of a root manifest."""
    for index, action in enumerate(contributions.actions):
        if is_reserved_action(action):
            yield _reserved_action(action, ("contributes", "actions", index), frontmatter)
    for index, command in enumerate(contributions.commands):
        yield from _command_problems(command, ("contributes", "commands", index), frontmatter)
    yield from _extension_problems(contributions.extensions, frontmatter)
    for index, setting in enumerate(contributions.settings):
        yield from _setting_problems(setting, ("contributes", "settings", index), frontmatter)
    for name, namespace in contributions.data.items():
        if namespace.authoring is not None:
            path: Path = ("contributes", "data", name, "authoring")
            yield from _authoring_problems(namespace, namespace.authoring, path, frontmatter)


def _reserved_action(action: str, path: Path, frontmatter: Frontmatter) -> Diagnostic:
    prefixes = ", ".join(repr(prefix) for prefix in RESERVED_ACTION_PREFIXES)
    return frontmatter.report(
        "reserved-name",
        f"`{dotted(path)}` is {action!r}; names that begin with {prefixes} belong to the host.",
        path=path,
        hint="Choose another name, so that nobody takes the action for a grant of the host.",
    )


def _command_problems(
    command: Command, path: Path, frontmatter: Frontmatter
) -> Iterator[Diagnostic]:
    yield from _repeated(
        command.aliases,
        (*path, "aliases"),
        frontmatter,
        taken={command.name: (*path, "name")},
    )
    names = [argument.name for argument in command.arguments]
    yield from _repeated(names, (*path, "arguments"), frontmatter, member="name")
    for index, argument in enumerate(command.arguments[:-1]):
        if argument.variadic:
            place = (*path, "arguments", index, "variadic")
            yield frontmatter.report(
                "variadic-not-last",
                f"`{dotted(place)}` is true, and {names[index + 1]!r} follows; a variadic argument "
                "takes everything that is left.",
                path=place,
                hint="Move the argument to the end.",
            )


def _repeated(
    names: Iterable[str],
    path: Path,
    frontmatter: Frontmatter,
    *,
    member: str | None = None,
    taken: dict[str, Path] | None = None,
) -> Iterator[Diagnostic]:
    """A problem for each of `names`, the items of the list at `path`, that was there before."""
    first = dict(taken or {})
    for index, name in enumerate(names):
        place: Path = (*path, index) if member is None else (*path, index, member)
        if name not in first:
            first[name] = place
            continue
        yield frontmatter.report(
            "duplicate-item",
            f"`{dotted(place)}` is {name!r}, which `{dotted(first[name])}` is already.",
            path=place,
            hint="Remove one of the two, or choose another name.",
            related=_first_place(frontmatter, first[name]),
        )


def _first_place(frontmatter: Frontmatter, path: Path) -> tuple[Related, ...]:
    place = frontmatter.place(path)
    if place is None:
        return ()
    return (Related("first written here", frontmatter.file, frontmatter.source.span(*place)),)


def _extension_problems(
    extensions: tuple[Extension, ...], frontmatter: Frontmatter
) -> Iterator[Diagnostic]:
    first: dict[tuple[str, str], Path] = {}
    for index, extension in enumerate(extensions):
        path: Path = ("contributes", "extensions", index, "id")
        known = first.setdefault((extension.point, extension.id), path)
        if known is not path:
            yield frontmatter.report(
                "duplicate-item",
                f"`{dotted(path)}` is {extension.id!r}, which `{dotted(known)}` is already for "
                f"{extension.point!r}.",
                path=path,
                hint="Give each implementation of a point its own ID.",
                related=_first_place(frontmatter, known),
            )


def _setting_problems(
    setting: Setting, path: Path, frontmatter: Frontmatter
) -> Iterator[Diagnostic]:
    if setting.type == "select" and not setting.options:
        yield frontmatter.report(
            "field-missing",
            f"`{dotted((*path, 'options'))}` is missing; a setting of type 'select' needs it.",
            path=(*path, "options"),
            hint="List the choices: options: [{ value: first, label: First }].",
        )


def _authoring_problems(
    namespace: DataNamespace, authoring: Authoring, path: Path, frontmatter: Frontmatter
) -> Iterator[Diagnostic]:
    if not namespace.accepts:
        yield frontmatter.report(
            "authoring-without-accepts",
            f"`{dotted(path)}` is written for a namespace that takes no world data.",
            path=path,
            of_key=True,
            hint="List a contract under 'accepts', or remove 'authoring'.",
        )
    if authoring.generate is None:
        return
    lacking = _lacking_for_generation(authoring)
    if lacking:
        yield frontmatter.report(
            "generation-not-possible",
            f"`{dotted((*path, 'generate'))}` is {authoring.generate!r}, and {lacking}.",
            path=(*path, "generate"),
            hint="Add an 'example' and a public 'source' of kind yaml or json with 'key: id'.",
        )


def _lacking_for_generation(authoring: Authoring) -> str | None:
    """What keeps records of the namespace from being generated, `None` when nothing does."""
    source = authoring.source
    if authoring.example is None:
        return "there is no 'example'"
    if source is None:
        return "there is no 'source'"
    if source.kind == "media":
        return "the source is of kind 'media'"
    if source.visibility == "hidden":
        return "the source is hidden"
    return None if source.key == "id" else f"the key of the source is {source.key!r}, not 'id'"
