"""What reading a package yields: typed manifests, bodies, problems, and their files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from covel_host.diagnostics.diagnostic import Diagnostic, any_blocks_loading
from covel_host.diagnostics.source import SourceText
from covel_host.manifest.frontmatter import Frontmatter
from covel_host.manifest.root_manifest import RootManifest
from covel_host.manifest.runtime_manifest import RuntimeManifest


@dataclass(frozen=True, slots=True)
class RuntimeReading:
    """One runtime of a package as it was read.

    `file` is relative to the package; `folder` is what the runtime's own paths start from.
    `field_prefix` is where the runtime starts in its file: `("runtime",)` for an inline one, else
    empty. `manifest` has defaults in its `faulty_groups` and is `None` when the file could not be
    read. `body_zh` is the Simplified-Chinese body, `None` where there is no variant.
    """

    plugin_id: str
    runtime_id: str
    folder: Path
    file: str
    field_prefix: tuple[str, ...]
    manifest: RuntimeManifest | None
    body: str
    body_zh: str | None
    faulty_groups: frozenset[str]
    frontmatter: Frontmatter = field(repr=False)


@dataclass(frozen=True, slots=True)
class PackageReading:
    """Everything the files of a package say, with all problems found, in order of place.

    `manifest` has defaults in its `faulty_groups` (dotted paths) and is `None` when `PLUGIN.md`
    could not be read. `entry` is the entry module below `root`, checked to be a file inside the
    package; `None` without one. `prompt_zh` maps segment IDs to their Simplified-Chinese content.
    `files` holds each manifest file as read, for rules that point into them. `unread_variants` are
    files named like a variant in a language that is not read.
    """

    plugin_id: str
    root: Path
    manifest: RootManifest | None
    body: str
    body_zh: str | None
    prompt_zh: Mapping[str, str]
    runtimes: tuple[RuntimeReading, ...]
    entry: Path | None
    faulty_groups: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]
    files: Mapping[str, Frontmatter] = field(repr=False)
    unread_variants: tuple[str, ...] = ()

    @property
    def blocks_loading(self) -> bool:
        """Whether a problem keeps the package from being loaded."""
        return any_blocks_loading(self.diagnostics)

    def source(self, file: str) -> SourceText | None:
        """The text of a manifest file of the package, for excerpts."""
        found = self.files.get(file)
        return None if found is None else found.source
