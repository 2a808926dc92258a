"""Which packages a test is about: the one around its file, and the companions that it names."""

import os
from pathlib import Path

from covel_host.manifest.layout import ROOT_MANIFEST


def package_around(path: Path) -> Path | None:
    """The nearest folder at or above `path` that is a package; None outside of any."""
    for folder in (path, *path.parents):
        if os.path.lexists(folder / ROOT_MANIFEST):
            return folder
    return None


def companion_folder(written: str, *, package: Path) -> Path | None:
    """The folder of a companion that a test names by its path; None for one named by its ID.

    A path is relative to the package under test. A bare name is the sibling of that name if it is a
    package, else an ID, such as that of a bundled package.
    """
    path = (package.parent if "/" not in written else package) / os.path.expanduser(written)
    return Path(os.path.abspath(path)) if os.path.lexists(path / ROOT_MANIFEST) else None
