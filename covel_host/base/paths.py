"""Paths that stay inside a folder, symbolic links resolved."""

from pathlib import Path


class OutsideFolder(ValueError):
    """A path leads out of its folder; `relative` is the path as written."""

    def __init__(self, relative: str) -> None:
        super().__init__(f"{relative!r} leads out of the package.")
        self.relative = relative


def resolve_inside(root: Path, relative: str, *, base: Path | None = None) -> Path:
    """The real path of `relative` (from `base`, default `root`); it need not exist.

    Raises:
        OutsideFolder: absolute, or outside the real `root` after symbolic links are followed.
    """
    if not relative or Path(relative).is_absolute() or "\\" in relative or "\0" in relative:
        raise OutsideFolder(relative)
    real_root = root.resolve()
    target = ((base or root) / relative).resolve()
    if not target.is_relative_to(real_root):
        raise OutsideFolder(relative)
    return target
