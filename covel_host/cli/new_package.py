"""A package made from a template, and what its author does next."""

import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from covel_host.base.errors import HostError
from covel_host.catalog.folders import templates_folder
from covel_host.cli.output import path_text, safe_text
from covel_host.cli.validation import check_package
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.text_forms import PLUGIN_ID

MAX_NAME_LENGTH: Final = 100
"""A folder's name stays far from the 255 bytes that file systems allow."""

RUNS: Final[Mapping[str, str]] = {
    "tool": """run {target} --payload '{{"sides": 6}}'""",
    "agent": "run {target}",
    "function": """run {target} --payload '{{"dice": 2, "sides": 6}}'""",
    "multi-runtime": "run {target}/gather",
    "dataset": "run {target}",
    "action": (
        """rpc new {target} keep-note --payload '{{"text": ["The", "door", "is", "open."]}}'"""
    ),
    "hooks": "plugins show {id} --load",
    "extension": "run narrator --with {id}",
    "prompt-only": "run {target}",
}
"""The command that tries a package of each template.

`{target}` is its ID or path, `{id}` its ID; a command with the latter has to be told the folder.
"""

SHOWN_IN_PROMPTS: Final = ("extension", "prompt-only")
"""Templates whose effect is what a model is given."""


class NewPackageError(HostError):
    """A package that cannot be begun under this name in this place."""


@dataclass(frozen=True, slots=True)
class MadePackage:
    """A new package: its files relative to it, the commands that come next, what is not served."""

    package: Path
    template: str
    files: tuple[str, ...]
    commands: tuple[str, ...]
    notes: tuple[str, ...]


def make_package(plugin_id: str, template: str, folder: Path, *, is_found: bool) -> MadePackage:
    """The new package `plugin_id` in `folder`, which is made when it is missing.

    The package is there whole or not at all. `is_found` says that commands find it by its ID.

    Raises:
        NewPackageError: the name is not an ID, is taken in `folder`, or nothing can be written.
    """
    if not re.fullmatch(PLUGIN_ID, plugin_id) or len(plugin_id) > MAX_NAME_LENGTH:
        raise NewPackageError(
            f"{safe_text(plugin_id)!r} is not the ID of a package.",
            code="invalid-name",
            hint=f"{_nearest_id(plugin_id)}An ID begins with a lowercase letter and goes on with "
            f"lowercase letters, digits and hyphens, at most {MAX_NAME_LENGTH}.",
        )
    place = Path(os.path.abspath(os.path.expanduser(folder))) / plugin_id
    if os.path.lexists(place):
        raise NewPackageError(
            f"{path_text(place)!r} is there already.",
            code="name-taken",
            hint="Choose another name, or another folder with --dir.",
        )
    try:
        _copy(templates_folder() / template, place)
    except OSError as error:
        raise NewPackageError(
            f"{path_text(place)!r} cannot be written: {error.strerror or error}.",
            code="not-writable",
            hint="Choose another folder with --dir.",
        ) from error
    return _made(place, template, is_found=is_found)


def _nearest_id(name: str) -> str:
    near = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return f"{near!r} would be one. " if re.fullmatch(PLUGIN_ID, near) else ""


def _copy(template: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=f".{place.name}.") as draft:
        made = Path(draft, place.name)
        shutil.copytree(template, made, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        made.rename(place)


def _made(package: Path, template: str, *, is_found: bool) -> MadePackage:
    files = sorted(
        path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()
    )
    unserved = [
        found for found in check_package(package).diagnostics if found.name == "not-served-yet"
    ]
    shown = shlex.quote(path_text(package))
    commands = [f"covel validate-plugin {shown}", f"covel test {shown}"]
    if template in RUNS and not any(found.hint for found in unserved):
        commands += _tries(package, template, files, is_found=is_found)
    notes = (found.message.partition(": ")[2] or found.message for found in unserved)
    return MadePackage(package, template, tuple(files), tuple(commands), tuple(notes))


def _tries(package: Path, template: str, files: list[str], *, is_found: bool) -> list[str]:
    target = package.name if is_found else shlex.quote(path_text(package))
    tried = f"covel {RUNS[template].format(target=target, id=package.name)}"
    if "{id}" in RUNS[template] and not is_found:
        tried += f" --plugins-dir {shlex.quote(path_text(package.parent))}"
    if any(file.endswith(".py") for file in files):
        tried += f" --trust {package.name}"
    return [tried, "covel trace last --prompt 1"] if template in SHOWN_IN_PROMPTS else [tried]


def made_json(made: MadePackage) -> dict[str, object]:
    """`{path, template, files, next, notes}`; `next` are commands."""
    return {
        "path": path_text(made.package),
        "template": made.template,
        "files": list(made.files),
        "next": list(made.commands),
        "notes": list(made.notes),
    }


def made_text(made: MadePackage) -> str:
    """What was made, and what its author does next."""
    lines = [f"Made {path_text(made.package)} from the template {made.template!r}:"]
    lines += [f"  {file}" for file in made.files]
    texts = f"Say what it does: `description` in {ROOT_MANIFEST}, and the texts for the model."
    steps = enumerate([texts, *made.commands], start=1)
    lines += ["", "Next:", *(f"  {number}. {step}" for number, step in steps)]
    lines += [f"Note: {note[:1].upper()}{note[1:]}" for note in made.notes]
    return "".join(f"{line}\n" for line in lines)
