"""What a pack says of packages, compared with those at hand (spec/world.md 7.2, 7.12)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from covel_host.diagnostics.diagnostic import Diagnostic, dotted
from covel_host.diagnostics.near_names import nearest
from covel_host.diagnostics.yaml_nodes import Path
from covel_host.worlds.installed import Installed
from covel_host.worlds.pack_file import PackFile
from covel_host.worlds.sources import Source
from covel_host.worlds.world_manifest import WorldManifest


def policy_problems(
    manifest: WorldManifest, file: PackFile, installed: Installed
) -> Iterator[Diagnostic]:
    """Packages, settings and contracts of `world.yaml` that are not there.

    A name that is nearly one of the known ones is an error, any other a warning: the package may
    be installed where the world is played.
    """
    for path, plugin_id in _named_packages(manifest):
        if plugin_id not in installed.plugin_ids:
            message = f"`{dotted(path)}` names the package {plugin_id!r}, which is not installed."
            known = sorted(installed.plugin_ids)
            yield _near(file, "unknown-plugin", message, path, plugin_id, known)
    yield from _setting_problems(manifest, file, installed)
    for index, contract in enumerate(manifest.plugin_policy.requires):
        if not installed.providers.get(contract):
            place: Path = ("pluginPolicy", "requires", index)
            message = f"`{dotted(place)}` is {contract!r}, which no installed package provides."
            known = sorted(installed.providers)
            found = _near(file, "unprovided-contract", message, place, contract, known)
            yield found if installed.active is None else replace(found, severity="error")


def contract_problem(source: Source, contract: str, installed: Installed) -> Diagnostic:
    """The problem of a contract that no installed package receives.

    While playing it is an error, but for media: those are imported once there is a receiver.
    """
    known = sorted({receiver.contract for receiver in installed.receivers})
    near = nearest(contract, known)
    hint = (
        f"The nearest contract is {near!r}."
        if near
        else "Install a package whose `contributes.data` accepts it, or set `enabled: false`."
    )
    found = source.report(
        "unresolved-contract",
        f"No installed package takes the {source.held} of the source {source.source_id!r}: "
        f"{contract!r}.",
        source.target_field,
        hint=hint,
    )
    is_needed = installed.active is not None and source.target.kind != "media"
    is_error = near is not None or is_needed
    return replace(found, severity="error") if is_error else found


def _setting_problems(
    manifest: WorldManifest, file: PackFile, installed: Installed
) -> Iterator[Diagnostic]:
    for plugin_id, settings in manifest.plugin_settings.items():
        path: Path = ("pluginSettings", plugin_id)
        if plugin_id not in installed.plugin_ids:
            message = f"`{dotted(path)}` is for the package {plugin_id!r}, which is not installed."
            known = sorted(installed.plugin_ids)
            yield _near(file, "unknown-plugin", message, path, plugin_id, known)
            continue
        declared = installed.settings.get(plugin_id, ())
        for name in settings:
            if name not in declared:
                near = nearest(name, declared)
                yield file.report(
                    "unknown-setting",
                    f"The package {plugin_id!r} has no setting {name!r}.",
                    path=(*path, name),
                    of_key=True,
                    hint=f"The nearest setting is {near!r}." if near else None,
                )


def _named_packages(manifest: WorldManifest) -> Iterator[tuple[Path, str]]:
    policy = manifest.plugin_policy
    lists: list[tuple[Path, Sequence[str]]] = [
        (("pluginPolicy", "requested"), policy.requested),
        (("pluginPolicy", "recommended"), policy.recommended),
    ]
    for index, pack in enumerate(policy.packs):
        place: Path = ("pluginPolicy", "packs", index)
        lists.append(((*place, "requested"), pack.requested))
        lists.append(((*place, "recommended"), pack.recommended))
    for path, names in lists:
        for index, name in enumerate(names):
            yield (*path, index), name


def _near(
    file: PackFile, name: str, message: str, path: Path, written: str, known: Sequence[str]
) -> Diagnostic:
    near = nearest(written, known)
    if near is None:
        return file.report(name, message, path=path)
    hint = f"The nearest one is {near!r}."
    return replace(file.report(name, message, path=path, hint=hint), severity="error")
