"""What a request names that is one tool call: a run on behalf of a package, not of a runtime."""

import difflib

from covel_host.catalog.generation import Generation
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.reading import RuntimeReading
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.turn.errors import RequestRefused


def tool_runtime(tool: str, generation: Generation) -> RuntimeReading:
    """What stands for the runtime in an execution that is a call of `tool`.

    Its ID, `<plugin>/tool:<tool>`, is none that a runtime can have; its manifest says nothing.

    Raises:
        RequestRefused: `tool-not-found`: the package contributes no such tool.
    """
    if tool not in generation.tools:
        near = difflib.get_close_matches(tool, generation.tools, n=1)
        known = ", ".join(generation.tools) or "none"
        raise RequestRefused(
            f"The package {generation.plugin_id!r} has no tool {tool!r}.",
            code="tool-not-found",
            hint=f"Did you mean {near[0]!r}?" if near else f"Its tools: {known}.",
        )
    reading = generation.reading
    return RuntimeReading(
        plugin_id=generation.plugin_id,
        runtime_id=f"{generation.plugin_id}/tool:{tool}",
        folder=reading.root,
        file=ROOT_MANIFEST,
        field_prefix=("contributes", "tools"),
        manifest=RuntimeManifest(),
        body="",
        body_zh=None,
        faulty_groups=frozenset(),
        frontmatter=reading.files[ROOT_MANIFEST],
    )
