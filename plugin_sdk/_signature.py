"""Reading a function's parameters and annotations for the decorators."""

import inspect
import re
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ForwardRef, Union, get_args, get_origin, get_type_hints

from plugin_sdk.errors import DefinitionError

ABSENT: Any = inspect.Parameter.empty
"""No default, or no annotation."""

_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True, slots=True)
class ReadParameter:
    name: str
    annotation: Any
    default: Any


@dataclass(frozen=True, slots=True)
class ReadSignature:
    """What a decorator needs to know of a function.

    `context` is the name of the context parameter, if any; `context_leads` says that it is the
    first parameter and may be passed by position.
    """

    context: str | None
    context_leads: bool
    parameters: tuple[ReadParameter, ...]
    returns: Any
    is_async: bool


def read_signature(
    function: Callable[..., Any],
    *,
    subject: str,
    context_type: type[Any],
    caller_locals: Mapping[str, Any] | None,
) -> ReadSignature:
    """The parameters of `function`, the one annotated `context_type` set apart.

    Annotations may be text (also under `from __future__ import annotations`), `Annotated` or
    optional. The context type is recognised by name where its import exists for type checkers only.

    Raises:
        DefinitionError: `*args`, `**kwargs` or positional-only parameters, a missing or unreadable
            annotation, two context parameters, a generator.
    """
    _refuse_generators(function, subject)
    hints = _Hints(function, context_type, caller_locals)
    contexts: list[str] = []
    parameters: list[ReadParameter] = []
    listed = inspect.signature(function).parameters
    for name, parameter in listed.items():
        annotation = hints.read(name, parameter.annotation, subject)
        if annotation is not ABSENT and _is_context(annotation, context_type):
            contexts.append(name)
            continue
        _refuse_parameter(parameter, subject, context_type)
        parameters.append(ReadParameter(name, annotation, parameter.default))
    if len(contexts) > 1:
        raise DefinitionError(
            f"{subject}: the parameters {' and '.join(map(repr, contexts))} are both annotated "
            f"{context_type.__name__}. One of them gets the context; remove the other."
        )
    context = contexts[0] if contexts else None
    returns = hints.read("return", inspect.signature(function).return_annotation, subject)
    return ReadSignature(
        context=context,
        context_leads=context is not None
        and next(iter(listed)) == context
        and listed[context].kind is not inspect.Parameter.KEYWORD_ONLY,
        parameters=tuple(parameters),
        returns=returns,
        is_async=is_coroutine_function(function),
    )


def is_coroutine_function(function: Callable[..., Any]) -> bool:
    """Whether calling `function` gives a coroutine; objects with an async `__call__` count."""
    # B004 takes the look at `__call__` for a test of callability.
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004
    )


def caller_locals(depth: int) -> Mapping[str, Any] | None:
    """Names local to the function that applies a decorator; None at module level.

    With them, text annotations of a function defined inside another one can be read.
    """
    frame = sys._getframe(depth + 1)
    return None if frame.f_locals is frame.f_globals else dict(frame.f_locals)


def first_paragraph(function: Callable[..., Any]) -> str:
    """The first paragraph of the docstring on one line, `""` without one."""
    documentation = inspect.getdoc(function) or ""
    return " ".join(documentation.partition("\n\n")[0].split())


def _refuse_generators(function: Callable[..., Any], subject: str) -> None:
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise DefinitionError(
            f"{subject}: the function is a generator (it holds `yield`). Return the result instead."
        )


def _refuse_parameter(parameter: inspect.Parameter, subject: str, context_type: type[Any]) -> None:
    name = parameter.name
    if parameter.kind in _VARIABLE:
        stars = "*" if parameter.kind is inspect.Parameter.VAR_POSITIONAL else "**"
        raise DefinitionError(
            f"{subject}: the parameter '{stars}{name}' has no fixed shape. Name each parameter."
        )
    if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
        raise DefinitionError(
            f"{subject}: the parameter {name!r} is positional-only, but values are passed by name. "
            f"Remove the '/'."
        )
    if parameter.annotation is ABSENT:
        hint = (
            f"Write '{name}: {context_type.__name__}' if it is the context."
            if name in ("ctx", "context", "self", "_")
            else f"Write a type such as '{name}: str'."
        )
        raise DefinitionError(f"{subject}: the parameter {name!r} has no annotation. {hint}")


def _is_context(annotation: Any, context_type: type[Any]) -> bool:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _is_context(get_args(annotation)[0], context_type)
    if origin in (Union, types.UnionType):
        return any(_is_context(part, context_type) for part in get_args(annotation))
    value = getattr(annotation, "__value__", None)
    if value is not None and not isinstance(annotation, type):
        return _is_context(value, context_type)
    return context_type in getattr(annotation, "__mro__", ())


class _Hints:
    """The resolved annotations of one function; text that cannot be read is reported on use."""

    __slots__ = ("_context_name", "_context_type", "_function", "_locals", "_resolved")

    def __init__(
        self,
        function: Callable[..., Any],
        context_type: type[Any],
        caller_locals: Mapping[str, Any] | None,
    ) -> None:
        self._function = inspect.unwrap(function)
        self._locals = dict(caller_locals) if caller_locals else None
        self._context_type = context_type
        name = re.escape(context_type.__name__)
        self._context_name = re.compile(
            rf"(?:[\w.]*Optional\[)?(?:\w+\.)*{name}(?:\])?(?:\s*\|\s*None)?"
        )
        try:
            self._resolved: dict[str, Any] | None = get_type_hints(
                self._function, localns=self._locals, include_extras=True
            )
        except Exception:
            # One annotation cannot be read: `read` goes through them one by one and names it.
            self._resolved = None

    def read(self, name: str, annotation: Any, subject: str) -> Any:
        if self._resolved is not None:
            return self._resolved.get(name, annotation)
        if isinstance(annotation, ForwardRef):
            annotation = annotation.__forward_arg__
        if not isinstance(annotation, str):
            return annotation
        if self._context_name.fullmatch(annotation.strip()):
            return self._context_type
        return self._evaluate(name, annotation, subject)

    def _evaluate(self, name: str, annotation: str, subject: str) -> Any:
        holder = types.SimpleNamespace(__annotations__={name: annotation})
        try:
            return get_type_hints(
                holder,
                globalns=getattr(self._function, "__globals__", {}),
                localns=self._locals,
                include_extras=True,
            )[name]
        except Exception as error:
            where = "return annotation" if name == "return" else f"annotation of {name!r}"
            raise DefinitionError(
                f"{subject}: the {where}, {annotation!r}, cannot be read ({error}). "
                f"Import or define its names at module level, outside `if TYPE_CHECKING:`."
            ) from error
