"""Two folders that change places in one step, so that at no moment one of them is missing."""

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

_AT_WORKING_FOLDER: Final = -100
_LINUX_EXCHANGE: Final = 2
_MAC_SWAP: Final = 2
_NOT_OFFERED: Final = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP})


def exchange(first: Path, second: Path) -> bool:
    """Let two existing paths of one file system change places; `False` where that is not offered.

    Raises:
        OSError: the system refuses it; nothing was changed.
    """
    call = _system_call()
    if call is None:
        return False
    if call(os.fsencode(first), os.fsencode(second)) == 0:
        return True
    code = ctypes.get_errno()
    if code in _NOT_OFFERED:
        return False
    raise OSError(code, os.strerror(code), str(second))


def _system_call() -> Callable[[bytes, bytes], int] | None:
    library = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        swap = getattr(library, "renamex_np", None)
        return swap and (lambda first, second: int(swap(first, second, _MAC_SWAP)))
    rename = getattr(library, "renameat2", None)
    return rename and (
        lambda first, second: int(
            rename(_AT_WORKING_FOLDER, first, _AT_WORKING_FOLDER, second, _LINUX_EXCHANGE)
        )
    )
