"""Rules on the identity of a package that no model can state alone (spec/manifest.md 2.4, 6.1)."""

import re
from collections.abc import Iterator

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.frontmatter import Frontmatter
from covel_host.manifest.kernel_contracts import is_kernel_contract
from covel_host.manifest.layout import RUNTIMES_FOLDER
from covel_host.manifest.root_manifest import RootManifest
from covel_host.manifest.text_forms import FORMS, PLUGIN_ID

_PLUGIN_ID = re.compile(PLUGIN_ID.removesuffix("$"))


def root_problems(
    manifest: RootManifest, frontmatter: Frontmatter, *, plugin_id: str, has_runtimes_folder: bool
) -> Iterator[Diagnostic]:
    """The problems of `manifest` as the root manifest of the package `plugin_id`."""
    yield from _id_problems(manifest, frontmatter, plugin_id)
    for index, tag in enumerate(manifest.tags):
        if tag.startswith("role:"):
            yield frontmatter.report(
                "role-tag",
                f"`tags.{index}` is {tag!r}; role tags were replaced by contracts.",
                path=("tags", index),
                hint="Remove the tag and list what the package does under 'provides'.",
            )
    for index, contract in enumerate(manifest.conflicts):
        if is_kernel_contract(contract):
            yield frontmatter.report(
                "invalid-conflict",
                f"`conflicts.{index}` is {contract!r}, which belongs to the host; expected the "
                "contract of a plugin.",
                path=("conflicts", index),
                hint="Remove it.",
            )
    if has_runtimes_folder and "runtime" in (frontmatter.fields or {}):
        yield frontmatter.report(
            "inline-runtime-beside-runtimes",
            f"`runtime` is written although the package has a {RUNTIMES_FOLDER}/ folder.",
            path=("runtime",),
            of_key=True,
            hint=f"Keep one of the two: move `runtime` to {RUNTIMES_FOLDER}/<name>/RUNTIME.md, or "
            "remove the folder.",
        )


def _id_problems(
    manifest: RootManifest, frontmatter: Frontmatter, plugin_id: str
) -> Iterator[Diagnostic]:
    if _PLUGIN_ID.fullmatch(plugin_id) is None:
        proposal = re.sub(r"[^a-z0-9]+", "-", plugin_id.lower()).strip("-0123456789")
        hint = f"Rename the folder to {proposal!r}." if proposal else "Rename the folder."
        yield frontmatter.report(
            "id-malformed",
            f"The folder, whose name is the ID of the package, is called {plugin_id!r}; expected "
            f"{FORMS[PLUGIN_ID].says}.",
            path=("id",),
            hint=hint,
        )
    if manifest.id is not None and manifest.id != plugin_id:
        yield frontmatter.report(
            "id-mismatch",
            f"`id` is {manifest.id!r}; expected {plugin_id!r}, the name of the folder.",
            path=("id",),
            hint="Remove `id`, or rename the folder.",
        )
