"""Handlers of one value: the part actions, services and extensions have in common."""

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

from plugin_sdk._signature import ABSENT, ReadParameter, caller_locals, read_signature
from plugin_sdk.errors import DefinitionError
from plugin_sdk.shapes import Shape, value_shape
from plugin_sdk.values import JsonValue

P = ParamSpec("P")
R = TypeVar("R")


class Handler(Generic[P, R]):
    """A function of a context and one value, callable like the function itself."""

    __slots__ = (
        "__weakref__",
        "__wrapped__",
        "_context",
        "_value",
        "function",
        "input",
        "is_async",
        "output",
    )

    def __init__(
        self, function: Callable[P, R], *, subject: str, context_type: type[Any], depth: int
    ) -> None:
        signature = read_signature(
            function,
            subject=subject,
            context_type=context_type,
            caller_locals=caller_locals(depth + 1),
        )
        value = _only_value(signature.parameters, subject)
        self.function = function
        self.__wrapped__ = function
        self.is_async = signature.is_async
        self._context = signature.context
        self._value = None if value is None else value.name
        annotation = dict[str, object] if value is None else value.annotation
        self.input = value_shape(annotation, subject=f"{subject}: the input")
        returns = object if _says_nothing(signature.returns) else signature.returns
        self.output = Shape(returns, subject=f"{subject}: the output")

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def parse(self, text: str) -> object:
        """The value for `invoke` that one JSON text holds.

        Raises:
            ToolValidationError: it does not fit; `details` list every problem by field.
        """
        return self.input.parse(text)

    def invoke(self, context: object, value: object) -> object:
        """What the function gives; awaitable when `is_async`."""
        arguments: dict[str, object] = {}
        if self._context is not None:
            arguments[self._context] = context
        if self._value is not None:
            arguments[self._value] = value
        function: Callable[..., object] = self.function
        return function(**arguments)

    def to_json(self, result: object) -> JsonValue:
        """The function's result as JSON, checked against the return annotation.

        Raises:
            ToolValidationError: it has no JSON form or does not fit.
        """
        return self.output.to_json(result)


def _only_value(parameters: tuple[ReadParameter, ...], subject: str) -> ReadParameter | None:
    if len(parameters) > 1:
        names = ", ".join(repr(parameter.name) for parameter in parameters)
        raise DefinitionError(
            f"{subject}: the function takes the context and one value, not {names}. "
            f"Put them into one model."
        )
    return parameters[0] if parameters else None


def _says_nothing(annotation: Any) -> bool:
    return annotation is ABSENT or annotation is Any
