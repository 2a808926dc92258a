"""One kind of problem, and the three ways it can count."""

from dataclasses import dataclass

from covel_host.diagnostics.diagnostic import Severity


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """One kind of problem; `since` is the host version that first reported it."""

    code: str
    name: str
    severity: Severity
    blocks_loading: bool
    since: str
    documentation: str


def error(code: str, name: str, documentation: str, *, since: str = "0.1.0") -> CodeInfo:
    """A kind of problem that keeps the package from being loaded."""
    return CodeInfo(code, name, "error", True, since, documentation)


def warning(code: str, name: str, documentation: str, *, since: str = "0.1.0") -> CodeInfo:
    """A kind of problem that is worth repairing and stops nothing."""
    return CodeInfo(code, name, "warning", False, since, documentation)


def info(code: str, name: str, documentation: str, *, since: str = "0.1.0") -> CodeInfo:
    """A fact about a package that its author or operator may want to know."""
    return CodeInfo(code, name, "info", False, since, documentation)


def slip(code: str, name: str, documentation: str, *, since: str = "0.1.0") -> CodeInfo:
    """An error that has to be repaired, and that a loader passes over."""
    return CodeInfo(code, name, "error", False, since, documentation)
