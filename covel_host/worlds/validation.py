"""Everything that can be found wrong with a pack, in every language it declares."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from covel_host.diagnostics.diagnostic import Diagnostic, in_order
from covel_host.diagnostics.source import SourceText
from covel_host.worlds.installed import Installed
from covel_host.worlds.pack_media import MimeOf
from covel_host.worlds.planning import plan_world
from covel_host.worlds.reading import PackReading, read_pack


@dataclass(frozen=True, slots=True)
class PackCheck:
    """A pack as it was read, every problem in order of place, and the texts they lie in."""

    reading: PackReading
    diagnostics: tuple[Diagnostic, ...]
    texts: Mapping[str, SourceText] = field(repr=False)


def validate_pack(root: Path, installed: Installed, *, mime_of: MimeOf) -> PackCheck:
    """All problems of the pack at `root`: the plan of a session in each declared language.

    Nothing is stored and no package code runs (spec/world.md 7.12).
    """
    reading = read_pack(root, mime_of=mime_of)
    found = dict.fromkeys(reading.diagnostics)
    locales = () if reading.manifest is None else reading.manifest.locales
    for locale in locales:
        plan = plan_world(reading, installed, locale=locale)
        if plan is not None:
            found.update(dict.fromkeys(plan.diagnostics))
    return PackCheck(reading, in_order(found), reading.files.texts)
