"""Where the code of one package may send requests (spec/manifest.md 5.7)."""

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from covel_host.net.urls import Origin


@dataclass(frozen=True, slots=True)
class HttpPolicy:
    """The origins a package declares, each with the methods it may use, None for all of them.

    With `is_open` (bundled packages) any public HTTPS origin may be reached as well. `subject`
    names whose policy it is.
    """

    subject: str
    origins: Mapping[Origin, frozenset[str] | None]
    is_open: bool = False

    def problem(self, origin: Origin, method: str | None) -> str | None:
        """Why `method` (None: any of them) may not be sent there; None when it may."""
        if origin in self.origins:
            methods = self.origins[origin]
            if method is None or methods is None or method in methods:
                return None
            return (
                f"{self.subject} declares {str(origin)!r} for {', '.join(sorted(methods))}, "
                f"not for {method}."
            )
        if not self.is_open:
            return f"{self.subject} does not declare {str(origin)!r} in 'permissions.http'."
        if origin.scheme != "https":
            return f"{str(origin)!r} is not reached by HTTPS."
        return None

    def may_be_loopback(self, origin: Origin) -> bool:
        """Whether this machine itself is meant: declared, and by no name that others answer."""
        return origin in self.origins and is_loopback_name(origin.host)


NO_HTTP: Final = HttpPolicy("This package", {})
"""Reaches nothing."""


@dataclass(frozen=True, slots=True)
class BothPolicies:
    """What two packages may both reach, such as a service and whoever calls it."""

    policies: tuple[HttpPolicy, ...]

    def problem(self, origin: Origin, method: str | None) -> str | None:
        """As `HttpPolicy.problem`; the first one there is."""
        return next(
            (found for one in self.policies if (found := one.problem(origin, method)) is not None),
            None,
        )

    def may_be_loopback(self, origin: Origin) -> bool:
        """As `HttpPolicy.may_be_loopback`; one that is open need not declare it."""
        return any(one.may_be_loopback(origin) for one in self.policies) and all(
            one.is_open or one.may_be_loopback(origin) for one in self.policies
        )


def is_loopback_name(host: str) -> bool:
    """Whether `host` is `localhost` or an address of this machine, as it is written."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def merged_origins(
    declared: Iterable[tuple[Origin, frozenset[str] | None]],
) -> dict[Origin, frozenset[str] | None]:
    """What several declarations allow together."""
    origins: dict[Origin, frozenset[str] | None] = {}
    for origin, methods in declared:
        known = origins.get(origin, frozenset())
        origins[origin] = None if known is None or methods is None else known | methods
    return origins
