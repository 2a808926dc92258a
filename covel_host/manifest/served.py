"""What of the manifest format this version of the host serves; nothing is accepted in silence.

Rows leave these tables as the host learns to serve them (spec/decisions.md 3).
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from covel_host.diagnostics.diagnostic import Diagnostic, dotted
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.reading import PackageReading, RuntimeReading
from covel_host.manifest.runtime_manifest import RuntimeManifest

CODE_CONTRIBUTIONS: Final = {
    "actions": "RPC actions",
    "services": "services",
    "extensions": "extensions",
    "hooks": "life-cycle hooks",
    "wires": "provider wires",
    "forms": "form validators",
    "datasets": "data sets",
}
"""Contributions whose code would wait in vain: the package is not loaded."""

QUIET_CONTRIBUTIONS: Final = {
    "commands": "player commands",
    "events": "domain events",
    "settings": "settings",
    "data": "data namespaces",
    "ui": "interface specs",
    "world_projections": "world projections",
    "prompt": "static prompt segments",
}
"""Declarations that are read and checked, and that nothing uses yet: the rest works."""

RUNTIME_NEEDS: Final[tuple[tuple[str, str, Callable[[RuntimeManifest], Any]], ...]] = (
    ("function", "function runtimes", lambda runtime: runtime.runtime_type == "function"),
    ("guard", "guards", lambda runtime: runtime.guard),
    ("io.inputs", "bound inputs", lambda runtime: runtime.io.inputs),
    ("io.selfData", "own data in prompts", lambda runtime: runtime.io.self_data),
    ("io.output.contract", "output contracts", lambda runtime: runtime.io.output.contract),
    ("io.output.recordAs", "exports", lambda runtime: runtime.io.output.record_as),
    ("io.concealed", "concealed runtimes", lambda runtime: runtime.io.concealed),
    (
        "agent.tools.services",
        "imported services",
        lambda runtime: runtime.agent_settings.tools.services,
    ),
    (
        "agent.tools.datasets",
        "data set tools",
        lambda runtime: runtime.agent_settings.tools.datasets,
    ),
    ("agent.tools.defer", "deferred tools", lambda runtime: runtime.agent_settings.tools.defer),
    (
        "agent.advertiseEvents",
        "the event directory",
        lambda runtime: runtime.agent_settings.advertise_events,
    ),
    (
        "agent.llm.reasoningEffort",
        "turning reasoning off",
        lambda runtime: runtime.agent_settings.llm.reasoning_effort,
    ),
)
"""Field, what it asks for, and how to see that it is written."""


def unserved_contributions(reading: PackageReading) -> Iterator[Diagnostic]:
    """One diagnostic per group of `contributes` that this host does not serve.

    `not-supported-yet` (blocks loading) where code would be registered, `not-served-yet` (info)
    where a declaration is merely not used.
    """
    top = reading.files.get(ROOT_MANIFEST)
    if reading.manifest is None or top is None:
        return
    contributes = reading.manifest.contributes
    for member, what in (CODE_CONTRIBUTIONS | QUIET_CONTRIBUTIONS).items():
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


def unserved_needs(runtime: RuntimeReading) -> Iterator[Diagnostic]:
    """One `not-supported-yet` per field without which the runtime cannot run as it is meant to."""
    if runtime.manifest is None:
        return
    for field, what, written in RUNTIME_NEEDS:
        if not written(runtime.manifest):
            continue
        path = (*runtime.field_prefix, *field.split("."))
        yield runtime.frontmatter.report(
            "not-supported-yet",
            f"{runtime.runtime_id!r} uses `{dotted(path)}`: this version of the host does not "
            f"serve {what} yet.",
            path=path,
            of_key=True,
        )
