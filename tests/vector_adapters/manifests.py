"""`manifests/<plugin id>/`: static validation of small packages."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.validation import validate_folder


def check(folder: Path, expect: dict[str, Any]) -> None:
    with TemporaryDirectory() as place:
        package = copy_of(folder, expect, Path(place))
        if package is None:
            return
        found = validate_folder(package).diagnostics
    errors = [one for one in found if one.severity == "error"]
    if expect["valid"]:
        assert not errors, shown(errors)
        return
    assert errors, "no error was found"
    for wanted in expect.get("errors", ()):
        assert any(meets(one, wanted) for one in errors), (wanted, shown(errors))


def copy_of(folder: Path, expect: dict[str, Any], place: Path) -> Path | None:
    """The package as it is to be validated; `None` where its link cannot be made."""
    copy = place / "packages" / folder.name
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("expect.json"))
    return copy if "symlink" not in expect or link_made(copy, expect["symlink"]) else None


def link_made(package: Path, link: dict[str, Any]) -> bool:
    target = package / link["to"]
    if "content" in link:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(link["content"], encoding="utf-8")
    for name, content in link.get("folder", {}).items():
        target.mkdir(parents=True, exist_ok=True)
        (target / name).write_text(content, encoding="utf-8")
    place = package / link["link"]
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        place.symlink_to(target)
    except OSError:
        return False
    return True


def meets(found: Diagnostic, wanted: dict[str, Any]) -> bool:
    if "code" in wanted and wanted["code"] not in (found.name, found.code):
        return False
    if any(text not in found.message for text in wanted.get("mentions", ())):
        return False
    places = [wanted, *wanted.get("accept", ())]
    return any(
        found.file == place.get("file", found.file)
        and ("path" not in place or found.path == dotted(place["path"]))
        for place in places
    )


def dotted(path: str) -> str:
    """A path in our spelling: `builtin[1]` means `builtin.1`."""
    return re.sub(r"\[(\d+)\]", r".\1", path)


def shown(errors: Sequence[Diagnostic]) -> list[str]:
    return [f"{one.name} in {one.file} at {one.path!r}: {one.message}" for one in errors]
