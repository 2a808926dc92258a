"""A warning where several packages of a session tell a story in the same turn."""

from collections.abc import Iterable

from covel_host.cli.output import note
from covel_host.manifest.reading import PackageReading
from covel_host.turn.declared_runtimes import declared_runtimes
from covel_host.turn.storytellers import storytellers


def warn_of_stories(
    packages: Iterable[PackageReading], *, paused: frozenset[str] = frozenset()
) -> None:
    """Say on standard error which runtimes tell a story, if packages get in each other's way.

    `packages` are those of a session; what is `paused` tells nothing.
    """
    found, _ = declared_runtimes(list(packages), paused=paused)
    if (warning := storytellers(found).warning) is not None:
        note(f"warning: {warning}")
