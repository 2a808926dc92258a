"""UI specs (spec/manifest.md 4.11)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from covel_host.manifest.rules.file_references import FileReference
from covel_host.manifest.rules.package_files import PackageFiles
from covel_host.manifest.rules.rule import Problem, Rule, field, rule

MAX_WEBVIEW_BYTES: Final = 512 * 1024


@dataclass(frozen=True, slots=True)
class UiSpec:
    """A UI spec that could be parsed."""

    reference: FileReference
    value: object
    files: PackageFiles


@rule("4.11", "ui-spec-unfit", "A UI spec is an object; a right panel has a view or a webview.")
def spec_unfit(spec: UiSpec) -> Iterator[Problem]:
    why = _unfit(spec)
    if why is not None:
        path = spec.reference.path
        yield Problem(
            path,
            f"{field(path)} is {spec.reference.written!r}, which {why}.",
            "Correct the spec.",
        )


@rule("4.11", "webview-unusable", "The entry of a webview is a small `.html` file of the package.")
def webview_unusable(spec: UiSpec) -> Iterator[Problem]:
    webview = spec.value.get("webview") if isinstance(spec.value, dict) else None
    why = None if webview is None else _webview_unfit(webview, spec)
    if why is not None:
        path = spec.reference.path
        yield Problem(
            path,
            f"{field(path)} is {spec.reference.written!r}, which has {why}.",
            "Name an '.html' file of the package, such as webview: { entry: ui/herbs.html }.",
        )


def ui_specs(references: Iterable[FileReference], files: PackageFiles) -> Iterator[UiSpec]:
    """The JSON specs among `references` that could be parsed."""
    for reference in references:
        if reference.use not in ("ui", "panel") or not reference.written.endswith(".json"):
            continue
        found = files.found(reference)
        if found.state == "file" and not files.json(found).problem:
            yield UiSpec(reference, files.json(found).value, files)


def _unfit(spec: UiSpec) -> str | None:
    if not isinstance(spec.value, dict):
        return "is no JSON object"
    if spec.reference.use != "panel":
        return None
    if ("view" in spec.value) == ("webview" in spec.value):
        both = "both" if "view" in spec.value else "neither"
        return f"has {both} of 'view' and 'webview'; a right panel has one of them"
    return None


def _webview_unfit(webview: object, spec: UiSpec) -> str | None:
    entry = webview.get("entry") if isinstance(webview, dict) else None
    if not isinstance(entry, str):
        return "a 'webview' without an 'entry'"
    if not entry.endswith(".html"):
        return f"the webview entry {entry!r}; expected the path of an '.html' file"
    found = spec.files.folder.file(spec.reference.base, entry)
    if found.state != "file":
        why = {"missing": "does not exist", "outside": "leads out of the package"}
        return f"the webview entry {entry!r}, which {why.get(found.state, 'cannot be read')}"
    if len(found.content) > MAX_WEBVIEW_BYTES:
        return f"the webview entry {entry!r}, which has more than 512 KiB"
    return None


RULES: Final[tuple[Rule[UiSpec], ...]] = (spec_unfit, webview_unusable)
