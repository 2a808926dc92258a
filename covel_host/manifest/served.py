"""What of the manifest format this version of the host serves; nothing is accepted in silence.

Rows leave these tables as the host learns to serve them (spec/decisions.md 3).
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from covel_host.diagnostics.diagnostic import Diagnostic, dotted
from covel_host.manifest.contributions import Contributions
from covel_host.manifest.frontmatter import Frontmatter
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.reading import PackageReading

CODE_CONTRIBUTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "wires": "provider wires",
    }
)
"""Contributions whose code would wait in vain: the package is not loaded."""

QUIET_CONTRIBUTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ui": "interface specs",
        "world_projections": "world projections",
    }
)
"""Declarations that are read and checked, and that nothing uses yet: the rest works."""

QUIET_HOOK_EVENTS: Final[Mapping[str, str]] = MappingProxyType({})
"""Life-cycle events of what the host does not do yet: their hooks are loaded and never called."""

QUIET_EXTENSION_POINTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "media.image-flow@1": "the media of image flows",
        "ui.slot@1": "interface slots",
    }
)
"""Extension points that nothing asks yet: their implementations are loaded and never called."""


def unserved_contributions(reading: PackageReading) -> Iterator[Diagnostic]:
    """One diagnostic per group of `contributes` that this host does not serve.

    `not-supported-yet` (blocks loading) where code would be registered, `not-served-yet` (info)
    where a declaration is merely not used.
    """
    top = reading.files.get(ROOT_MANIFEST)
    if reading.manifest is None or top is None:
        return
    contributes = reading.manifest.contributes
    for member, what in {**CODE_CONTRIBUTIONS, **QUIET_CONTRIBUTIONS}.items():
        if member not in contributes.model_fields_set or not getattr(contributes, member):
            continue
        name = "not-supported-yet" if member in CODE_CONTRIBUTIONS else "not-served-yet"
        path = ("contributes", type(contributes).model_fields[member].alias or member)
        yield top.report(
            name,
            f"`{dotted(path)}`: this version of the host does not serve {what} yet.",
            path=path,
            of_key=True,
        )
    yield from _unserved_hooks(contributes, top)
    yield from _unserved_extensions(contributes, top)


def _unserved_hooks(contributes: Contributions, top: Frontmatter) -> Iterator[Diagnostic]:
    for index, hook in enumerate(contributes.hooks):
        what = QUIET_HOOK_EVENTS.get(hook.event)
        if what is not None:
            yield top.report(
                "not-served-yet",
                f"The hook of {hook.event!r} is never called: this version of the host does not "
                f"serve {what} yet.",
                path=("contributes", "hooks", index, "event"),
            )


def _unserved_extensions(contributes: Contributions, top: Frontmatter) -> Iterator[Diagnostic]:
    for index, extension in enumerate(contributes.extensions):
        what = QUIET_EXTENSION_POINTS.get(extension.point)
        if what is not None:
            yield top.report(
                "not-served-yet",
                f"The extension {extension.id!r} of {extension.point!r} is never asked: this "
                f"version of the host does not serve {what} yet.",
                path=("contributes", "extensions", index, "point"),
            )
