"""The part of `covel doctor` that looks at folders and packages; trusted code is loaded."""

import os
from collections.abc import Iterator

from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.trust import trust_advice
from covel_host.cli.checks import Check
from covel_host.cli.output import counted, path_text
from covel_host.cli.package_facts import PackageFacts, load_facts
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.settings import Settings


def folder_checks(settings: Settings) -> Iterator[Check]:
    """One check per folder in which packages are looked for."""
    for folder in settings.folders:
        yield _folder(folder, settings)


def package_checks(settings: Settings) -> Iterator[Check]:
    """One check per package after a load, and one per problem of the folders."""
    facts = load_facts(settings)
    for found in facts.diagnostics:
        yield Check("packages", "warning", found.message, found.hint or "")
    for package in facts.packages:
        yield _package(package)
    if not facts.packages:
        yield Check("packages", "ok", "no packages yet")


def _folder(folder: PluginFolder, settings: Settings) -> Check:
    shown = f"{path_text(folder.path)} ({folder.source})"
    if not folder.path.exists():
        named = folder.source == "builtin" and settings.environ.get("COVEL_PLUGINS_DIR")
        if named:
            return Check(
                "folder",
                "warning",
                f"{shown} does not exist.",
                "Correct COVEL_PLUGINS_DIR, or unset it.",
            )
        return Check("folder", "ok", f"{shown}, not there yet")
    if not os.access(folder.path, os.R_OK | os.X_OK):
        return Check("folder", "problem", f"{shown} cannot be read.", "Check its rights.")
    return Check("folder", "ok", shown)


def _package(package: PackageFacts) -> Check:
    subject = package.plugin_id
    if package.status == "untrusted":
        return Check(subject, "warning", f"not loaded: {package.refusal}", trust_advice(subject))
    first = _first_problem(package)
    if package.status == "error":
        message = "not loaded" if first is None else f"not loaded: {first.placed_message}"
        return Check(subject, "problem", message, f"See: covel plugins show {subject} --load")
    needs = ", ".join(package.tools) or "no tools"
    if first is not None:
        rest = counted(package.count("error") + package.count("warning"), "problem")
        return Check(
            subject, "warning", f"loaded, with {rest}: {first.placed_message}", first.hint or ""
        )
    return Check(subject, "ok", f"loaded: {needs}")


def _first_problem(package: PackageFacts) -> Diagnostic | None:
    by_weight = [found for found in package.diagnostics if found.severity == "error"]
    by_weight += [found for found in package.diagnostics if found.severity == "warning"]
    return by_weight[0] if by_weight else None
