"""Refusals of a request before anything of it runs."""

from covel_host.base.errors import HostError


class RequestRefused(HostError):
    """A request that cannot run; nothing was started and nothing was stored.

    `code`: `package-not-found`, `package-not-loaded`, `approval-required`, `runtime-not-found`,
    `runtime-ambiguous`, `not-supported-yet`, `payload-invalid`, `session-not-found`,
    `session-not-active`.
    """
