"""Whether a runtime that is declared `detached` may be left behind by its turn.

What it changes must belong to its package alone: others go on without it meanwhile
(spec/execution.md 9.2, spec/decisions.md 5).
"""

from typing import Final

from covel_host.manifest.runtime_manifest import RuntimeManifest

OWN_DATA: Final = "plugin-data:self:"
_ALLOWED: Final = (OWN_DATA, "ui:", "assets:", "media:", "http:")


def why_not_detached(manifest: RuntimeManifest) -> str | None:
    """Why the turn waits for it all the same, as a clause; None where it need not.

    A function says what it changes; what the tools of an agent stage is checked at its commit.
    """
    if manifest.io.output.record_as is not None:
        return "its output is kept as an export ('io.output.recordAs')"
    if manifest.runtime_type == "agent":
        may_emit = "emit-event" in manifest.agent_settings.tools.builtin
        return "it may emit events" if may_emit else None
    if manifest.effects is None:
        return "it does not declare its 'effects'"
    for resource in manifest.effects.writes:
        if not resource.startswith(_ALLOWED):
            return f"it changes {resource!r} ('effects.writes')"
    return None
