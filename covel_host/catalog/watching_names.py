"""Which files of a package decide what it does, told by their names alone."""

import re
from collections.abc import Sequence
from typing import Final

from covel_host.catalog.discovery import DISABLED_MARK

SKIPPED_FOLDERS: Final = frozenset({"__pycache__", "node_modules"})
"""Folders whose files never are sources (as in `sources`, which hashes them)."""

# Editors keep their swap and backup files beside the file: `.PLUGIN.md.swp`, `PLUGIN.md~`,
# `#PLUGIN.md#`, `index.py___jb_tmp___`, `4913`. None of them ends like a source.
_SUFFIXES: Final = (".py", ".json", ".yaml", ".yml")
_MANIFEST: Final = re.compile(r"(?:PLUGIN|RUNTIME)(?:\.[A-Za-z0-9_-]+)?\.md")


def is_watched_file(parts: Sequence[str]) -> bool:
    """Whether the file at `parts`, its path in the package, counts.

    Those are modules, manifests with their variants, JSON and YAML files, and the mark that
    disables the package.
    """
    if not parts or not is_watched_folder(parts):
        return False
    name = parts[-1]
    if name.endswith(_SUFFIXES):
        # Emacs locks `x.py` with the link `.#x.py`, and keeps `#x.py#`.
        return not name.startswith("#")
    return _MANIFEST.fullmatch(name) is not None or (len(parts) == 1 and name == DISABLED_MARK)


def is_watched_folder(parts: Sequence[str]) -> bool:
    """Whether what lies in the folder at `parts` can count; the package itself is `()`."""
    return not any(part.startswith(".") or part in SKIPPED_FOLDERS for part in parts)
