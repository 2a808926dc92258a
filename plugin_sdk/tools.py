"""`@tool`: a function a model may call, with its name, schema, side effects and time limit."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, TypeVar, overload

from plugin_sdk._signature import (
    ReadParameter,
    ReadSignature,
    caller_locals,
    first_paragraph,
    read_signature,
)
from plugin_sdk.context import ToolContext
from plugin_sdk.errors import DefinitionError
from plugin_sdk.names import TOOL_NAME_PATTERN
from plugin_sdk.shapes import Shape, arguments_shape

MIN_TIMEOUT_MS = 1
MAX_TIMEOUT_MS = 600_000

_NAME = re.compile(TOOL_NAME_PATTERN)

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnnotations:
    """The side effects of a tool (seed: 注解与超时); `check_tool` refuses contradictions.

    `tool` derives `stages_writes` from `read_only`; whoever makes annotations by hand gives both.
    """

    read_only: bool = False
    stages_writes: bool = True
    idempotent: bool = False
    concurrency_safe: bool = False


class Tool(Generic[P, R]):
    """A tool, still callable like the function it was made from.

    `name`, `description`, `annotations`, `timeout_ms` (None: no limit of its own) and
    `input_schema` (the JSON Schema of the arguments) are what the host and the model read;
    `is_async` says whether `invoke` gives an awaitable; `function` is the author's function.
    """

    __slots__ = (
        "__weakref__",
        "__wrapped__",
        "_by_keyword",
        "_leads",
        "_model_parameter",
        "_shape",
        "annotations",
        "description",
        "function",
        "input_schema",
        "is_async",
        "name",
        "timeout_ms",
    )

    def __init__(
        self,
        function: Callable[P, R],
        *,
        name: str,
        description: str,
        annotations: ToolAnnotations,
        timeout_ms: int | None,
        signature: ReadSignature,
        shape: Shape,
        model_parameter: str | None,
    ) -> None:
        self.function = function
        self.__wrapped__ = function
        self.name = name
        self.description = description
        self.annotations = annotations
        self.timeout_ms = timeout_ms
        self.input_schema: dict[str, Any] = shape.json_schema
        self.is_async = signature.is_async
        self._shape = shape
        self._model_parameter = model_parameter
        self._leads = signature.context_leads
        self._by_keyword = None if signature.context_leads else signature.context

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<Tool {self.name!r}>"

    def parse(self, text: str) -> dict[str, object]:
        """The keyword arguments that one JSON text holds, without the context.

        Values are those after validation: defaults filled in, models built, transforms applied.
        Checking is strict, unknown members are ignored (a `parameters` model decides for itself),
        and of members written twice the last counts.

        Raises:
            ToolValidationError: not JSON, a number that is not finite, or values that do not fit;
                `details` and `message` list every problem by field.
        """
        value = self._shape.parse(text)
        if self._model_parameter is not None:
            return {self._model_parameter: value}
        arguments: dict[str, object] = value
        return arguments

    def invoke(self, context: ToolContext, arguments: dict[str, object]) -> object:
        """What the function gives for `arguments` as made by `parse`; awaitable when `is_async`.

        `context` goes to the parameter annotated `ToolContext`, if there is one.
        """
        function: Callable[..., object] = self.function
        if self._leads:
            return function(context, **arguments)
        if self._by_keyword is not None:
            return function(**arguments, **{self._by_keyword: context})
        return function(**arguments)


@overload
def tool(function: Callable[P, R], /) -> Tool[P, R]: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    parameters: Any = None,
    read_only: bool = False,
    stages_writes: bool | None = None,
    idempotent: bool = False,
    concurrency_safe: bool = False,
    timeout_ms: int | None = None,
) -> Callable[[Callable[P, R]], Tool[P, R]]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    parameters: Any = None,
    read_only: bool = False,
    stages_writes: bool | None = None,
    idempotent: bool = False,
    concurrency_safe: bool = False,
    timeout_ms: int | None = None,
) -> Any:
    """Make a function a tool.

    Args:
        name: At most 64 letters, digits, `_` and `-`. Without it the function's name, `_` turned
            into `-`.
        description: What the model reads. Without it the docstring's first paragraph.
        parameters: A pydantic model (or `TypeAdapter`) of the arguments. The function then takes
            one value of it beside the context; otherwise its parameters are the arguments.
        read_only: Only reads; a result with proposals or events fails the call.
        stages_writes: Stages writes for the commit; without it the opposite of `read_only`.
        idempotent: A repeated call with equal arguments adds no side effect.
        concurrency_safe: May run beside other read-only calls; needs `read_only`.
        timeout_ms: Limit of one call, 1 to 600,000 ms. Without it only the runtime's limit holds.

    Raises:
        DefinitionError: a wrong name or limit, annotations that contradict each other, parameters
            without a JSON Schema; the text begins with `Tool "<name>":` (seed: 注解与超时).
    """
    annotations = ToolAnnotations(
        read_only=read_only,
        stages_writes=not read_only if stages_writes is None else stages_writes,
        idempotent=idempotent,
        concurrency_safe=concurrency_safe,
    )

    def decorate(decorated: Callable[..., Any], depth: int = 1) -> Tool[..., Any]:
        tool_name = _name_of(decorated) if name is None else name
        check_tool(tool_name, annotations=annotations, timeout_ms=timeout_ms)
        subject = f'Tool "{tool_name}"'
        signature = read_signature(
            decorated,
            subject=subject,
            context_type=ToolContext,
            caller_locals=caller_locals(depth),
        )
        shape, model_parameter = _shape(signature, parameters, subject)
        return Tool(
            decorated,
            name=tool_name,
            description=first_paragraph(decorated) if description is None else description,
            annotations=annotations,
            timeout_ms=timeout_ms,
            signature=signature,
            shape=shape,
            model_parameter=model_parameter,
        )

    return decorate if function is None else decorate(function, depth=2)


def check_tool(name: str, *, annotations: ToolAnnotations, timeout_ms: int | None) -> None:
    """Refuse a tool name, annotations or a time limit that no tool may have.

    Raises:
        DefinitionError: the text begins with `Tool "<name>":`.
    """
    subject = f'Tool "{name}"'
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise DefinitionError(
            f"{subject}: the name must be 1 to 64 letters, digits, '_' and '-', such as 'look-up'."
        )
    for member in ("read_only", "stages_writes", "idempotent", "concurrency_safe"):
        if not isinstance(getattr(annotations, member), bool):
            raise DefinitionError(f"{subject}: {member} must be True or False.")
    if annotations.read_only and annotations.stages_writes:
        raise DefinitionError(
            f"{subject}: read_only and stages_writes exclude each other. Leave one of them out."
        )
    if annotations.concurrency_safe and not annotations.read_only:
        raise DefinitionError(f"{subject}: concurrency_safe needs read_only=True as well.")
    if timeout_ms is not None and (
        type(timeout_ms) is not int or not MIN_TIMEOUT_MS <= timeout_ms <= MAX_TIMEOUT_MS
    ):
        raise DefinitionError(
            f"{subject}: timeout_ms is {timeout_ms!r}; it must be a whole number of milliseconds "
            f"from {MIN_TIMEOUT_MS} to {MAX_TIMEOUT_MS}."
        )


def _name_of(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", "")).replace("_", "-")


def _shape(signature: ReadSignature, parameters: Any, subject: str) -> tuple[Shape, str | None]:
    if parameters is None:
        return arguments_shape(signature.parameters, subject=subject), None
    shape = Shape(parameters, subject=subject)
    if shape.json_schema.get("type") != "object":
        raise DefinitionError(
            f"{subject}: parameters must describe one JSON object, such as a pydantic model."
        )
    return shape, _only_parameter(signature.parameters, subject).name


def _only_parameter(parameters: tuple[ReadParameter, ...], subject: str) -> ReadParameter:
    if len(parameters) != 1:
        names = ", ".join(repr(parameter.name) for parameter in parameters) or "none"
        raise DefinitionError(
            f"{subject}: with parameters=… the function takes exactly one value beside the "
            f"context; it takes {names}."
        )
    return parameters[0]
