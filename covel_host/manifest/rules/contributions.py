"""Contributions that refer to each other (spec/manifest.md 6.3, rules 8, 9 and 13; 4.6)."""

from collections.abc import Iterator
from typing import Final

from covel_host.diagnostics.near_names import nearest
from covel_host.manifest.kernel_contracts import EXTENSION_POINTS, UI_SLOTS
from covel_host.manifest.rules.facts import RootFacts
from covel_host.manifest.rules.rule import Path, Problem, field, rule

_SLOT_POINT: Final = "ui.slot@1"


@rule("6.3.8", "action-undeclared", "A command runs an action of `contributes.actions`.")
def action_undeclared(root: RootFacts) -> Iterator[Problem]:
    actions = root.contributes.actions
    if not root.sound("contributes", "actions"):
        return
    for index, command in enumerate(root.contributes.commands):
        if command.action not in actions:
            path: Path = ("contributes", "commands", index)
            near = nearest(command.action, actions)
            yield Problem(
                path,
                f"{field((*path, 'action'))} is {command.action!r}, which `contributes.actions` "
                "does not list.",
                f"The nearest action is {near!r}."
                if near is not None
                else f"Add {command.action!r} to `contributes.actions` and register it.",
                place=(*path, "action"),
            )


@rule("6.3.9", "projection-namespace", "A projection writes into a namespace for world data.")
def projection_namespace(root: RootFacts) -> Iterator[Problem]:
    if not root.sound("contributes", "data"):
        return
    namespaces = root.contributes.data
    for projection_id, projection in (root.contributes.world_projections or {}).items():
        for output_id, output in projection.outputs.items():
            path: Path = (
                "contributes",
                "worldProjections",
                projection_id,
                "outputs",
                output_id,
            )
            place = (*path, "namespace")
            namespace = namespaces.get(output.namespace)
            if namespace is None:
                near = nearest(output.namespace, list(namespaces))
                yield Problem(
                    path,
                    f"{field(place)} is {output.namespace!r}, which `contributes.data` does not "
                    "declare.",
                    f"The nearest namespace is {near!r}."
                    if near is not None
                    else "Declare it, with 'accepts' and a schema.",
                    place=place,
                )
            elif not namespace.accepts:
                yield Problem(
                    path,
                    f"{field(place)} is {output.namespace!r}, which takes no world data.",
                    f"Add 'accepts' to `contributes.data.{output.namespace}`.",
                    place=place,
                )


@rule("6.3.13", "static-prompt-by-hand", "`static-prompt` is not declared beside static prompts.")
def static_prompt(root: RootFacts) -> Iterator[Problem]:
    if not root.contributes.prompt and root.sound("contributes", "prompt"):
        return
    for index, extension in enumerate(root.contributes.extensions):
        if (extension.point, extension.id) == ("prompt.segment@1", "static-prompt"):
            path: Path = ("contributes", "extensions")
            place = (*path, index, "id")
            yield Problem(
                path,
                f"{field(place)} is 'static-prompt', the name under which the host serves "
                "`contributes.prompt`.",
                "Give the extension another ID.",
                place=place,
            )


@rule("4.6", "extension-slot-missing", "An implementation of `ui.slot@1` names its slot.")
def slot_missing(root: RootFacts) -> Iterator[Problem]:
    for index, extension in enumerate(root.contributes.extensions):
        if extension.point == _SLOT_POINT and extension.slot is None:
            path: Path = ("contributes", "extensions", index, "slot")
            yield Problem(
                path,
                f"{field(path)} is missing; an implementation of {_SLOT_POINT!r} fills one slot.",
                f"Add one of {', '.join(UI_SLOTS)}.",
            )


@rule("4.6", "field-without-effect", "`slot`, `watch` and `preview` are for UI slots.")
def slot_fields(root: RootFacts) -> Iterator[Problem]:
    for index, extension in enumerate(root.contributes.extensions):
        if extension.point == _SLOT_POINT:
            continue
        for name in ("slot", "watch", "preview"):
            if getattr(extension, name):
                path: Path = ("contributes", "extensions", index, name)
                yield Problem(
                    path,
                    f"{field(path)} is written for {extension.point!r}; only {_SLOT_POINT!r} reads "
                    "it.",
                    "Remove it.",
                    at_key=True,
                )


@rule("10.6", "extension-point-unknown", "Extensions implement points and slots of the host.")
def point_unknown(root: RootFacts) -> Iterator[Problem]:
    for index, extension in enumerate(root.contributes.extensions):
        for name, known in (("point", EXTENSION_POINTS), ("slot", UI_SLOTS)):
            written = getattr(extension, name)
            if written is not None and written not in known:
                path: Path = ("contributes", "extensions", index, name)
                near = nearest(written, known)
                yield Problem(
                    path,
                    f"{field(path)} is {written!r}, which the host does not have.",
                    f"The nearest one is {near!r}."
                    if near is not None
                    else f"The host has {', '.join(known)}.",
                )


RULES: Final = (
    action_undeclared,
    projection_namespace,
    static_prompt,
    slot_missing,
    slot_fields,
    point_unknown,
)
