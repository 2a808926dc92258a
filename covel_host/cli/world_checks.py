"""World packs at the paths of a command, checked with the packages that are installed."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from covel_host.base.errors import HostError
from covel_host.catalog.building import read_catalog
from covel_host.catalog.discovery import discover
from covel_host.cli.output import path_text, safe_text
from covel_host.cli.validation import PackageCheck
from covel_host.cli.validation_report import Checked
from covel_host.diagnostics.diagnostic import Diagnostic, in_order
from covel_host.media.sniffing import checked_mime
from covel_host.settings import Settings
from covel_host.turn.world_packages import installed_packages
from covel_host.worlds.reading import PackReading
from covel_host.worlds.validation import validate_pack
from covel_host.worlds.world_manifest import WORLD_MANIFEST


class NoWorld(HostError):
    """A path that was named holds no world pack."""


def check_worlds(paths: Iterable[Path], settings: Settings) -> Checked:
    """The packs at `paths`, each once and in order.

    Raises:
        NoWorld: a path at which there is no world pack.
    """
    roots: dict[str, Path] = {}
    for path in paths:
        for root in world_folders(path):
            roots.setdefault(os.path.realpath(root), root)
    installed = installed_packages(read_catalog(discover(settings.folders)))
    seen: dict[str, Path] = {}
    checks = []
    for root in roots.values():
        check = validate_pack(root, installed, mime_of=checked_mime)
        found = [*check.diagnostics, *_duplicates(check.reading, seen)]
        name = check.reading.world_id
        checks.append(PackageCheck(name, root, in_order(found), check.texts))
    return Checked((), checks, noun="world")


def _duplicates(reading: PackReading, seen: dict[str, Path]) -> Iterator[Diagnostic]:
    """The problem of a world whose ID another one of the call has; `seen` takes the ID."""
    written = None if reading.file is None else reading.file.value
    if reading.manifest is None or reading.file is None or not isinstance(written, dict):
        return
    if written.get("id") != reading.manifest.id:
        # A stand-in for an ID that cannot be used.
        return
    first = seen.setdefault(reading.manifest.id, reading.root)
    if first != reading.root:
        message = f"`id` is {reading.manifest.id!r}, which {path_text(first)} has, too."
        yield reading.file.report("world-duplicate", message, path=("id",))


def world_folders(path: Path) -> list[Path]:
    """The packs at `path`: a pack, its `world.yaml`, or a folder of packs.

    Links and names that begin with a dot are passed over in a folder of packs.

    Raises:
        NoWorld: there is none.
    """
    place = Path(os.path.abspath(path))
    folder = place.parent if place.name == WORLD_MANIFEST and not place.is_dir() else place
    if (folder / WORLD_MANIFEST).exists():
        return [folder]
    if folder.is_dir():
        inner = sorted(folder.iterdir())
        found = [
            one
            for one in inner
            if not one.name.startswith(".")
            and not one.is_symlink()
            and (one / WORLD_MANIFEST).exists()
        ]
        if found:
            return found
    raise NoWorld(
        f"There is no world pack in {safe_text(str(place))!r}.",
        code="world-not-found",
        hint=f"A world pack is a folder with a {WORLD_MANIFEST} in it.",
    )


def one_world(path: Path) -> Path:
    """The pack at `path`, which is one.

    Raises:
        NoWorld: there is none, or there are several.
    """
    found = world_folders(path)
    if len(found) > 1:
        names = ", ".join(safe_text(root.name) for root in found[:5])
        raise NoWorld(
            f"{safe_text(str(path))!r} holds several world packs.",
            code="world-not-found",
            hint=f"Name one of them: {names}.",
        )
    return found[0]
