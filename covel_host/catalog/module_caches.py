"""What the interpreter and libraries remember of modules that are gone (design/traps.md, Loading).

Each of these would keep every generation of a package alive for the life of the process.
"""

import logging
import sys
import typing
from collections.abc import Iterable


def forget_modules(name: str) -> None:
    """Drop what is kept of the module `name` and of those below it.

    The purged tables are caches of their libraries and not part of their interfaces: one that is
    not there is passed over.
    """
    for clear in getattr(typing, "_cleanups", ()):
        clear()
    _forget_generic_models(name)
    _forget_loggers(name)


def _forget_generic_models(name: str) -> None:
    generics = sys.modules.get("pydantic._internal._generics")
    cache = getattr(generics, "_GENERIC_TYPES_CACHE", None)
    if cache is None:
        return
    for key in list(cache.keys()):
        if _mentions(key, name):
            cache.pop(key, None)


def _mentions(key: object, name: str) -> bool:
    """Whether a class of the module stands in a cache key: a class, or arguments in tuples."""
    if _is_below(getattr(key, "__module__", None), name):
        return True
    parts: Iterable[object] = key if isinstance(key, tuple) else typing.get_args(key)
    return any(_mentions(part, name) for part in parts)


def _forget_loggers(name: str) -> None:
    """Loggers of `logging.getLogger(__name__)`, and the links to them from above."""
    known = logging.root.manager.loggerDict
    gone = [known.pop(logger) for logger in list(known) if _is_below(logger, name)]
    above = known.get(name.rpartition(".")[0])
    if isinstance(above, logging.PlaceHolder):
        for logger in gone:
            if isinstance(logger, logging.Logger):
                above.loggerMap.pop(logger, None)


def _is_below(module: object, name: str) -> bool:
    return isinstance(module, str) and (module == name or module.startswith(f"{name}."))
