"""A life-cycle hook as one generation of a package registered it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from plugin_sdk.hooks import HookOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredHook:
    """One implementation of one life-cycle hook.

    `event` is the hook's name as in `plugin_sdk.hook_events.HOOK_EVENTS`, such as `pre_tool_use`.
    `function` may be asynchronous and is called by the names in `arguments`: `ctx`, the payload's
    name, both or none. `position` counts the package's hooks in order of definition, from 0.
    `timeout_ms` None means the host's default (design/sdk.md, Entry module).
    """

    plugin_id: str
    event: str
    function: Callable[..., Any]
    function_name: str
    arguments: tuple[str, ...] = ()
    order: HookOrder = "normal"
    match: Callable[[Any], bool] | None = None
    timeout_ms: int | None = None
    position: int = 0
