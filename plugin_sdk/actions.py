"""`@action`: an RPC action of the interface or of HTTP clients, never offered to a model."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from plugin_sdk._handlers import Handler
from plugin_sdk._naming import named
from plugin_sdk._signature import first_paragraph
from plugin_sdk.context import ActionContext

P = ParamSpec("P")
R = TypeVar("R")


class Action(Handler[P, R]):
    """An RPC action, still callable like the function it was made from.

    `input` is the payload's shape (any JSON object without an annotation), `output` that of the
    answer.
    """

    __slots__ = ("description", "name")

    def __init__(
        self, function: Callable[P, R], *, name: str, description: str | None, subject: str
    ) -> None:
        super().__init__(function, subject=subject, context_type=ActionContext, depth=2)
        self.name = name
        self.description = first_paragraph(function) if description is None else description

    def __repr__(self) -> str:
        return f"<Action {self.name!r}>"


def action(
    name: str, *, description: str | None = None
) -> Callable[[Callable[P, R]], Action[P, R]]:
    """Make a function an RPC action; the one parameter beside the context is its payload.

    Raises:
        DefinitionError: a name that is empty or holds white space, or a shape that cannot be read.
    """
    subject = named("Action", name, pattern=r"\S+", expected="text without white space")

    def decorate(function: Callable[P, R]) -> Action[P, R]:
        return Action(function, name=name, description=description, subject=subject)

    return decorate
