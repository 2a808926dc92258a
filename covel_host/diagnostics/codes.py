"""Problems made from the one table of codes."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from covel_host.diagnostics.code_info import CodeInfo
from covel_host.diagnostics.code_table import ALL_CODES
from covel_host.diagnostics.diagnostic import Diagnostic, Fix, Related, Span

CODES_BY_NAME: Final[Mapping[str, CodeInfo]] = MappingProxyType(
    {info.name: info for info in ALL_CODES}
)


def code_info(code_or_name: str) -> CodeInfo | None:
    """The entry for a code (`COV021`, any case) or a name (`yaml-unquoted-colon`)."""
    wanted = code_or_name.strip()
    by_name = CODES_BY_NAME.get(wanted.lower())
    if by_name is not None:
        return by_name
    return next((info for info in ALL_CODES if info.code == wanted.upper()), None)


def report(
    name: str,
    message: str,
    *,
    plugin: str,
    file: str = "",
    path: str = "",
    span: Span | None = None,
    hint: str | None = None,
    related: tuple[Related, ...] = (),
    fix: Fix | None = None,
) -> Diagnostic:
    """A problem of the kind `name`, with the code, severity and effect that the table gives it.

    Raises:
        KeyError: `name` is not in the table; a new kind of problem starts with an entry there.
    """
    info = CODES_BY_NAME[name]
    return Diagnostic(
        code=info.code,
        name=info.name,
        severity=info.severity,
        blocks_loading=info.blocks_loading,
        plugin=plugin,
        file=file,
        line=None if span is None else span.line,
        column=None if span is None else span.column,
        end_line=None if span is None else span.end_line,
        end_column=None if span is None else span.end_column,
        path=path,
        message=message,
        hint=hint,
        related=related,
        fix=fix,
    )


__all__ = ["ALL_CODES", "CODES_BY_NAME", "CodeInfo", "code_info", "report"]
