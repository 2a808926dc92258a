"""`@service`: a capability other packages call, by contract (spec/manifest.md 10.3)."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar

from plugin_sdk._handlers import Handler
from plugin_sdk._naming import named
from plugin_sdk._signature import first_paragraph
from plugin_sdk.context import ServiceContext
from plugin_sdk.errors import DefinitionError
from plugin_sdk.model_schema import model_facing_schema
from plugin_sdk.names import CONTRACT_PATTERN

ServiceKind: TypeAlias = Literal["read", "write"]
SERVICE_KINDS: tuple[ServiceKind, ...] = ("read", "write")

P = ParamSpec("P")
R = TypeVar("R")


class Service(Handler[P, R]):
    """A provided service, still callable like the function it was made from.

    `name` is unique in its package, `kind` says whether calls may stage writes, `offer_to_models`
    whether agents may import it as a tool; `input_schema` is what such a tool shows.
    """

    __slots__ = ("contract", "description", "input_schema", "kind", "name", "offer_to_models")

    def __init__(
        self,
        function: Callable[P, R],
        *,
        contract: str,
        name: str | None,
        kind: ServiceKind,
        offer_to_models: bool,
        description: str | None,
        input_schema: Mapping[str, Any] | None,
        subject: str,
    ) -> None:
        super().__init__(function, subject=subject, context_type=ServiceContext, depth=2)
        self.contract = contract
        self.name = function.__name__.replace("_", "-") if name is None else name
        self.kind: ServiceKind = kind
        self.offer_to_models = offer_to_models
        self.description = first_paragraph(function) if description is None else description
        self.input_schema: dict[str, Any] = (
            self.input.json_schema if input_schema is None else model_facing_schema(input_schema)
        )
        if offer_to_models and self.input_schema.get("type") != "object":
            raise DefinitionError(
                f"{subject}: with offer_to_models the input must be one JSON object, such as a "
                f"pydantic model."
            )

    def __repr__(self) -> str:
        return f"<Service {self.contract!r}>"


def service(
    contract: str,
    *,
    kind: ServiceKind,
    offer_to_models: bool = False,
    name: str | None = None,
    description: str | None = None,
    input_schema: Mapping[str, Any] | None = None,
) -> Callable[[Callable[P, R]], Service[P, R]]:
    """Make a function a service; the one parameter beside the context is its input.

    Args:
        contract: Such as `inventory.items@1`.
        kind: A write service stages changes of its own package's data for the caller.
        offer_to_models: Whether agents of other packages may import it as a tool.
        name: Without it the function's name, `_` turned into `-`.
        description: Without it the docstring's first paragraph; the tool description of an import.
        input_schema: The schema an imported tool shows; without it that of the input.

    Raises:
        DefinitionError: no contract ID, no such kind, a shape that cannot be read, or an input for
            models that is no JSON object.
    """
    subject = named(
        "Service",
        contract,
        pattern=CONTRACT_PATTERN,
        expected="a contract ID such as 'inventory.items@1'",
    )
    if kind not in SERVICE_KINDS:
        raise DefinitionError(f"{subject}: kind is {kind!r}; it must be 'read' or 'write'.")

    def decorate(function: Callable[P, R]) -> Service[P, R]:
        return Service(
            function,
            contract=contract,
            name=name,
            kind=kind,
            offer_to_models=offer_to_models,
            description=description,
            input_schema=input_schema,
            subject=subject,
        )

    return decorate
