"""Why a request was not answered."""

from covel_host.base.errors import HostError
from plugin_sdk.errors import ToolErrorCode


class HttpFailed(HostError):
    """A request that was refused or came to no complete answer; texts hold no more than a host.

    `code` is that of the tool error which package code gets. `may_retry`: another try does nothing
    twice.
    """

    code: ToolErrorCode

    def __init__(
        self,
        message: str,
        *,
        code: ToolErrorCode,
        hint: str | None = None,
        may_retry: bool = False,
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.may_retry = may_retry
