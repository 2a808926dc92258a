"""`@extension`: a package's part in something another package or the host asks for."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from plugin_sdk._handlers import Handler
from plugin_sdk._naming import named
from plugin_sdk.context import ExtensionContext
from plugin_sdk.errors import DefinitionError
from plugin_sdk.names import CONTRACT_PATTERN, EXTENSION_ID_PATTERN

P = ParamSpec("P")
R = TypeVar("R")


class Extension(Handler[P, R]):
    """An extension implementation, still callable like the function it was made from.

    `point` and `id` match the declaration in `contributes.extensions`; lower `order` comes first.
    """

    __slots__ = ("id", "order", "point")

    def __init__(
        self, function: Callable[P, R], *, point: str, id: str, order: int, subject: str
    ) -> None:
        super().__init__(function, subject=subject, context_type=ExtensionContext, depth=2)
        self.point = point
        self.id = id
        self.order = order

    def __repr__(self) -> str:
        return f"<Extension {self.id!r} of {self.point!r}>"


def extension(
    point: str, *, id: str, order: int = 0
) -> Callable[[Callable[P, R]], Extension[P, R]]:
    """Make a function the extension `id` of `point`; beside the context it takes the query.

    Raises:
        DefinitionError: no extension point, ID or order, or a shape that cannot be read.
    """
    subject = named(
        "Extension",
        point,
        pattern=CONTRACT_PATTERN,
        expected="an extension point such as 'prompt.segment@1'",
    )
    named(
        "Extension",
        id,
        pattern=EXTENSION_ID_PATTERN,
        expected="letters, digits, '_', '.' and '-', a letter or digit first",
    )
    if type(order) is not int:
        raise DefinitionError(f"{subject}: order is {order!r}; it must be a whole number.")

    def decorate(function: Callable[P, R]) -> Extension[P, R]:
        return Extension(function, point=point, id=id, order=order, subject=subject)

    return decorate
