"""`@hookimpl` marks a hook implementation; `proceed` and `abort` are what one may answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Literal, TypeAlias, TypeVar, overload

from pluggy import HookimplMarker

from plugin_sdk.errors import DefinitionError
from plugin_sdk.names import PACKAGE_HOOKS, PLUGGY_PROJECT, REGISTRATION_HOOKS

HookOrder: TypeAlias = Literal["pre", "normal", "post"]
HOOK_ORDERS: tuple[HookOrder, ...] = ("pre", "normal", "post")
MAX_HOOK_TIMEOUT_MS = 600_000

_OPTIONS_ATTRIBUTE = "covel_hook_options"
_mark = HookimplMarker(PLUGGY_PROJECT)

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class HookOptions:
    """The options of one implementation.

    `event` is the hook it implements where the function has a name of its own; `match` gets a
    private copy of the payload; `timeout_ms` None means the host's default.
    """

    order: HookOrder = "normal"
    match: Callable[[Any], bool] | None = None
    timeout_ms: int | None = None
    event: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HookResult:
    """What a life-cycle hook answers; no answer means `proceed()`."""

    action: Literal["continue", "abort"]
    replace: Mapping[str, object] = field(default_factory=dict)
    reason: str | None = None


def proceed(*, replace: Mapping[str, object] | None = None) -> HookResult:
    """Go on; `replace` holds payload members by their Python names, merged shallowly.

    Only members the event lets a hook replace count (`plugin_sdk.hook_events`).
    """
    return HookResult(action="continue", replace=dict(replace or {}))


def abort(reason: str) -> HookResult:
    """Stop what the event announces; on `pre_tool_use` the model reads the reason."""
    return HookResult(action="abort", reason=reason)


@overload
def hookimpl(function: F, /) -> F: ...


@overload
def hookimpl(
    *,
    order: HookOrder = "normal",
    match: Callable[[Any], bool] | None = None,
    timeout_ms: int | None = None,
    event: str | None = None,
) -> Callable[[F], F]: ...


def hookimpl(
    function: Any = None,
    /,
    *,
    order: HookOrder = "normal",
    match: Callable[[Any], bool] | None = None,
    timeout_ms: int | None = None,
    event: str | None = None,
) -> Any:
    """Mark a function of the entry module as a hook implementation.

    Args:
        order: Group in which a life-cycle hook runs; must match the declared `enforce`.
        match: Whether to run for a payload.
        timeout_ms: Limit of one call, 1 to 600,000 ms; 5,000 without it.
        event: The life-cycle hook, where several functions implement one.

    Raises:
        DefinitionError: an option no hook can have, or an option on a registration hook.
    """
    options = HookOptions(order=order, match=match, timeout_ms=timeout_ms, event=event)

    def decorate(decorated: F) -> F:
        _check(decorated, options)
        setattr(decorated, _OPTIONS_ATTRIBUTE, options)
        return _mark(specname=options.event)(decorated)

    return decorate if function is None else decorate(function)


def hook_options(function: object) -> HookOptions | None:
    """The options of a marked function, None when it is not marked."""
    options = getattr(function, _OPTIONS_ATTRIBUTE, None)
    return options if isinstance(options, HookOptions) else None


def _check(function: Callable[..., Any], options: HookOptions) -> None:
    # What the host looks through is functions: anything else that is marked is never called.
    if not isinstance(function, FunctionType):
        raise DefinitionError(f"hookimpl marks functions written with def, not {function!r}.")
    name = function.__name__
    subject = f'Hook "{name}"'
    if name in (*REGISTRATION_HOOKS, *PACKAGE_HOOKS) and options != HookOptions():
        raise DefinitionError(
            f"{subject}: order, match, timeout_ms and event belong to life-cycle hooks. "
            f"Write a plain @hookimpl."
        )
    if options.order not in HOOK_ORDERS:
        raise DefinitionError(
            f"{subject}: order is {options.order!r}; it must be 'pre', 'normal' or 'post'."
        )
    if options.match is not None and not callable(options.match):
        raise DefinitionError(f"{subject}: match must be a function of the payload.")
    limit = options.timeout_ms
    if limit is not None and (type(limit) is not int or not 1 <= limit <= MAX_HOOK_TIMEOUT_MS):
        raise DefinitionError(
            f"{subject}: timeout_ms is {limit!r}; it must be a whole number of milliseconds from 1 "
            f"to {MAX_HOOK_TIMEOUT_MS}."
        )
