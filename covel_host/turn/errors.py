"""Refusals of a request before anything of it runs."""

from covel_host.base.errors import HostError


class RequestRefused(HostError):
    """A request that cannot run; nothing was started and nothing was stored.

    `code`: `package-not-found`, `package-not-loaded`, `approval-required`, `runtime-not-found`,
    `runtime-ambiguous`, `tool-not-found`, `not-supported-yet`, `payload-invalid`,
    `session-not-found`, `session-not-active`, `host-closed`; of RPC actions also
    `plugin-not-active`, `unknown-action`, `action-reserved`. `CommandRefused` and `AnswerRefused`
    have codes of their own, and changes of a session those of docs/sessions.md.
    """
