"""A whole package folder read into typed manifests, bodies and problems (spec/manifest.md 2)."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, dotted, in_order
from covel_host.manifest.contribution_rules import contribution_problems
from covel_host.manifest.frontmatter import Frontmatter, read_frontmatter_file
from covel_host.manifest.layout import (
    RUNTIME_MANIFEST,
    RUNTIMES_FOLDER,
    Layout,
    outside_problem,
    printable,
    read_layout,
)
from covel_host.manifest.model_reading import ModelReading, read_model
from covel_host.manifest.reading import PackageReading, RuntimeReading
from covel_host.manifest.root_manifest import RootManifest
from covel_host.manifest.root_rules import root_problems
from covel_host.manifest.rules.fields import field_problems
from covel_host.manifest.runtime_manifest import RuntimeManifest

DEFAULT_ENTRY: Final = "server/index.py"


def read_package(root: Path, *, plugin_id: str | None = None) -> PackageReading:
    """The package in the folder `root`; problems are in `.diagnostics`, none is raised.

    `plugin_id` is the folder's name unless given (a package under test in a folder of another
    name). A fault in one file never hides what the others say. No package code is run.
    """
    named = root.name or root.absolute().name
    reader = _PackageReader(root, plugin_id if plugin_id is not None else printable(named))
    return reader.read()


class _PackageReader:
    """The steps of one reading and what they found."""

    def __init__(self, root: Path, plugin_id: str) -> None:
        self.root = root
        self.plugin_id = plugin_id
        self.files: dict[str, Frontmatter] = {}
        self.found: list[Diagnostic] = []

    def read(self) -> PackageReading:
        layout = read_layout(self.root, plugin=self.plugin_id)
        self.found += layout.diagnostics
        top = self._file(layout.manifest) if layout.manifest is not None else None
        reading = self._root_manifest(top, layout)
        variant = self._variant(layout.variant)
        inline = self._inline_runtime(top, reading, variant)
        runtimes = [self._runtime(*names) for names in layout.runtimes]
        package = PackageReading(
            plugin_id=self.plugin_id,
            root=self.root,
            manifest=reading.model,
            body="" if top is None else top.body,
            body_zh=None if variant is None else variant.body,
            prompt_zh={} if variant is None else _segment_texts(variant.fields or {}),
            runtimes=(*inline, *runtimes),
            entry=self._entry(top, reading),
            faulty_groups=reading.faulty_groups,
            diagnostics=(),
            files=self.files,
            unread_variants=tuple(layout.unread_variants),
        )
        return replace(package, diagnostics=in_order([*self.found, *field_problems(package)]))

    def _file(self, file: str, *, fence_required: bool = True) -> Frontmatter:
        named = printable(file)
        reading = read_frontmatter_file(
            self.root / file, plugin=self.plugin_id, file=named, fence_required=fence_required
        )
        self.files[named] = reading
        self.found += reading.diagnostics
        return reading

    def _root_manifest(self, top: Frontmatter | None, layout: Layout) -> ModelReading[RootManifest]:
        if top is None:
            return ModelReading(None, frozenset(), ())
        reading = read_model(RootManifest, top, stand_ins={"description": self.plugin_id})
        self.found += reading.diagnostics
        if reading.model is not None:
            self.found += root_problems(
                reading.model,
                top,
                plugin_id=self.plugin_id,
                has_runtimes_folder=layout.has_runtimes_folder,
            )
            self.found += contribution_problems(reading.model.contributes, top)
        return reading

    def _variant(self, file: str | None) -> Frontmatter | None:
        """A locale variant that could be read; its frontmatter may be missing."""
        if file is None:
            return None
        reading = self._file(file, fence_required=False)
        return None if reading.fields is None else reading

    def _inline_runtime(
        self,
        top: Frontmatter | None,
        reading: ModelReading[RootManifest],
        variant: Frontmatter | None,
    ) -> tuple[RuntimeReading, ...]:
        if top is None or "runtime" not in (top.fields or {}):
            return ()
        faulty = reading.faulty_groups
        inside = frozenset(
            group.removeprefix("runtime.") for group in faulty if group.startswith("runtime.")
        )
        model = reading.model
        return (
            RuntimeReading(
                plugin_id=self.plugin_id,
                runtime_id=self.plugin_id,
                folder=self.root,
                file=top.file,
                field_prefix=("runtime",),
                manifest=None if model is None else model.runtime,
                body=top.body,
                body_zh=None if variant is None else variant.body,
                faulty_groups=inside,
                frontmatter=top,
            ),
        )

    def _runtime(self, name: str, variant_file: str | None) -> RuntimeReading:
        folder = f"{RUNTIMES_FOLDER}/{name}"
        own = self._file(f"{folder}/{RUNTIME_MANIFEST}")
        reading = read_model(RuntimeManifest, own, stand_ins={})
        self.found += reading.diagnostics
        variant = self._variant(variant_file)
        return RuntimeReading(
            plugin_id=self.plugin_id,
            runtime_id=f"{self.plugin_id}/{printable(name)}",
            folder=self.root / folder,
            file=own.file,
            field_prefix=(),
            manifest=reading.model,
            body=own.body,
            body_zh=None if variant is None else variant.body,
            faulty_groups=reading.faulty_groups,
            frontmatter=own,
        )

    def _entry(self, top: Frontmatter | None, reading: ModelReading[RootManifest]) -> Path | None:
        """The entry module, explicit or by default; a faulty `entry` means none."""
        if top is None or reading.model is None or "entry" in reading.faulty_groups:
            return None
        explicit = reading.model.entry
        relative = explicit if explicit is not None else DEFAULT_ENTRY
        path = self.root / relative
        is_file = _is_file(path)
        if not is_file and explicit is None:
            return None
        problem = self._entry_problem(top, relative, explicit=explicit is not None, is_file=is_file)
        if problem is not None:
            self.found.append(problem)
            return None
        return path

    def _entry_problem(
        self, top: Frontmatter, relative: str, *, explicit: bool, is_file: bool
    ) -> Diagnostic | None:
        place = top.place(("entry",)) if explicit else None
        span = None if place is None else top.source.span(*place)
        file = top.file if explicit else relative
        path = dotted(("entry",)) if explicit else ""
        outside = outside_problem(
            self.root, relative, plugin=self.plugin_id, file=file, path=path, span=span
        )
        if outside is not None or is_file:
            return outside
        return report(
            "entry-not-found",
            f"`entry` is {relative!r}, and the package has no such file.",
            plugin=self.plugin_id,
            file=file,
            path=path,
            span=span,
            hint=f"Add the file, or leave `entry` out to use {DEFAULT_ENTRY}.",
        )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _segment_texts(fields: Mapping[str, object]) -> dict[str, str]:
    """Contents of static prompt segments in a variant, by segment ID (spec/manifest.md 3.2)."""
    contributes = fields.get("contributes")
    segments = contributes.get("prompt") if isinstance(contributes, dict) else None
    texts: dict[str, str] = {}
    for segment in segments if isinstance(segments, list) else ():
        if not isinstance(segment, dict):
            continue
        name, content = segment.get("id"), segment.get("content")
        if isinstance(name, str) and isinstance(content, str):
            texts[name] = content
    return texts
