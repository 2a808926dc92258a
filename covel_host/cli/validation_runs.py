"""Many packages checked, by several processes where that is faster, with progress on terminals."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from covel_host.cli.validation import Fixing, PackageCheck, check_package

PARALLEL_FROM: Final = 150
"""Packages from which a second process is worth its start (0.2 s where it cannot be forked)."""
PROGRESS_FROM: Final = 50
_CHUNK: Final = 16


def check_packages(roots: Sequence[Path], *, fixing: Fixing = "none") -> list[PackageCheck]:
    """The packages at `roots`, checked, in their order."""
    with _checks(roots, fixing) as checks:
        if len(roots) < PROGRESS_FROM or not sys.stderr.isatty():
            return list(checks)
        import click

        label = "Checking packages"
        with click.progressbar(checks, length=len(roots), label=label, file=sys.stderr) as shown:
            return list(shown)


@contextmanager
def _checks(roots: Sequence[Path], fixing: Fixing) -> Iterator[Iterator[PackageCheck]]:
    check = partial(check_package, fixing=fixing)
    workers = min(_processors(), len(roots) // (PARALLEL_FROM // 2))
    if workers < 2:
        yield map(check, roots)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(workers, initializer=_leave_interrupts) as pool:
        try:
            yield pool.map(check, roots, chunksize=_CHUNK)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _processors() -> int:
    """How many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _leave_interrupts() -> None:
    """Interrupts are for the parent, which ends its workers without a word from them."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
