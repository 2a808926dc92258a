"""The refusal of what an SDK context offers and this host does not do yet (design/sdk.md)."""

from typing import NoReturn

from plugin_sdk.errors import ToolError


def not_served(member: str) -> NoReturn:
    """Refuse the use of `member`, such as `ctx.world`.

    Raises:
        ToolError: always `unavailable`.
    """
    raise ToolError("unavailable", f"{member} is not served by this version of the host.")
