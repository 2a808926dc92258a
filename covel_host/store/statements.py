"""Core statements compiled once to text and sent through the driver (design/traps.md, Store)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, TypeAlias

from sqlalchemy import Executable
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.compiler import SQLCompiler

SqlValue: TypeAlias = "int | float | str | bytes | None"
Parameters: TypeAlias = Mapping[str, SqlValue]


@dataclass(slots=True)
class _Compiled:
    text: str
    values: Callable[[Parameters], tuple[SqlValue, ...]]


class Statement:
    """One Core statement; `compiled` gives its text for a dialect, worked out at its first use.

    Only texts and integers are bound, so no type needs a conversion on the way in or out.
    """

    __slots__ = ("_by_dialect", "_core")

    def __init__(self, core: Executable) -> None:
        self._core = core
        self._by_dialect: dict[str, _Compiled] = {}

    def compiled(self, dialect: Dialect) -> _Compiled:
        known = self._by_dialect.get(dialect.name)
        if known is None:
            # Two threads may both compile it: the outcome is the same, so no lock is needed.
            known = self._by_dialect[dialect.name] = _compile(self._core, dialect)
        return known


def _compile(core: Any, dialect: Dialect) -> _Compiled:
    compiler: SQLCompiler = core.compile(dialect=dialect)
    names = tuple(compiler.positiontup or ())
    constants = {
        name: bind.effective_value for name in names if not (bind := compiler.binds[name]).required
    }
    pick = _picker(names)
    if not constants:
        return _Compiled(text=str(compiler), values=pick)
    return _Compiled(
        text=str(compiler), values=lambda parameters: pick({**constants, **parameters})
    )


def _picker(names: tuple[str, ...]) -> Callable[[Parameters], tuple[SqlValue, ...]]:
    # `itemgetter` is several times faster than a comprehension, but gives a bare value for one
    # name and needs at least one.
    if len(names) > 1:
        return itemgetter(*names)
    return lambda parameters: tuple(parameters[name] for name in names)
