"""`@form_validator`: a package's own check of a submitted form (seed: create-form)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from plugin_sdk._naming import named
from plugin_sdk._signature import is_coroutine_function
from plugin_sdk.context import FormContext
from plugin_sdk.errors import DefinitionError


@dataclass(frozen=True, slots=True)
class FormIssue:
    """One thing wrong with a submission, in the session's language.

    Without `field`, or with one that is no field of the form, it is said of the whole form.
    """

    message: str
    field: str | None = None


FormVerdict: TypeAlias = str | FormIssue | Sequence[FormIssue] | None
FormCheck: TypeAlias = Callable[[FormContext, Mapping[str, object], object], FormVerdict]


class FormValidator:
    """A named, synchronous, pure check, still callable like the function it was made from."""

    __slots__ = ("__weakref__", "__wrapped__", "function", "name")

    def __init__(self, function: FormCheck, *, name: str) -> None:
        self.function = function
        self.__wrapped__ = function
        self.name = name

    def __call__(
        self, context: FormContext, values: Mapping[str, object], data: object
    ) -> FormVerdict:
        return self.function(context, values, data)

    def __repr__(self) -> str:
        return f"<FormValidator {self.name!r}>"

    def issues(
        self, context: FormContext, values: Mapping[str, object], data: object
    ) -> tuple[FormIssue, ...]:
        """What is wrong with `values`; empty when the form is accepted.

        Raises:
            TypeError: the function gave something that is no verdict.
        """
        verdict = self.function(context, values, data)
        if verdict is None:
            return ()
        if isinstance(verdict, str):
            return (FormIssue(verdict),)
        if isinstance(verdict, FormIssue):
            return (verdict,)
        if isinstance(verdict, (list, tuple)) and all(
            isinstance(one, FormIssue) for one in verdict
        ):
            return tuple(verdict)
        raise TypeError(
            f"The form validator {self.name!r} gave {verdict!r}; it must give nothing, a text, a "
            f"FormIssue or a list of them."
        )


def form_validator(name: str) -> Callable[[FormCheck], FormValidator]:
    """Make a synchronous function of context, values and form data a form validator.

    Raises:
        DefinitionError: an empty name, or an asynchronous function.
    """
    subject = named("Form validator", name, pattern=r"\S+", expected="text without white space")

    def decorate(function: FormCheck) -> FormValidator:
        if is_coroutine_function(function):
            raise DefinitionError(
                f"{subject}: the function is asynchronous. A form validator is a plain function."
            )
        return FormValidator(function, name=name)

    return decorate
