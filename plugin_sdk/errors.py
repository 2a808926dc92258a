"""Errors an author raises or meets: tool errors with their codes, and wrong definitions."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeGuard, get_args

ToolErrorCode: TypeAlias = Literal[
    "invalid-input",
    "not-found",
    "ambiguous",
    "refused",
    "unavailable",
    "timeout",
    "conflict",
    "cancelled",
    "internal",
]
"""What a failed call means to the caller (seed: 统一返回格式与错误码)."""

TOOL_ERROR_CODES: tuple[ToolErrorCode, ...] = get_args(ToolErrorCode)
"""Every tool error code, in the seed's order."""

FIX_FIELDS_HINT = "Fix these fields and call the tool again."


class DefinitionError(ValueError):
    """A decorator got something it cannot accept; raised on the author's own line.

    The text begins with what is being defined, such as `Tool "look-up":`.
    """


class ToolError(Exception):
    """A failure that the model or the calling code is meant to read.

    `message` says what is wrong (the model gets at most 2,000 characters of it), `hint` what to do
    next. `ToolError("refused", …)` raised by a tool is not counted as a failure of its runtime
    (seed: 统一返回格式与错误码).

    Raises:
        ValueError: `code` is not one of `TOOL_ERROR_CODES`.
    """

    code: ToolErrorCode
    message: str
    hint: str | None

    def __init__(self, code: ToolErrorCode, message: str, *, hint: str | None = None) -> None:
        if code not in TOOL_ERROR_CODES:
            raise ValueError(
                f"{code!r} is not a tool error code. The codes are {', '.join(TOOL_ERROR_CODES)}."
            )
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One thing wrong with one field of a value that was checked.

    `path` is dotted, list items by index (`rows.0.name`); `""` is the whole value. `location` holds
    the same path in parts. `expected` is set where an array or an object was expected and a text
    came: the text may hold the JSON of that value.
    """

    path: str
    message: str
    location: tuple[str | int, ...] = field(default=(), compare=False, repr=False)
    expected: Literal["array", "object"] | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class ToolValidationError(ToolError):
    """Arguments do not fit; the code is always `invalid-input`.

    `details` names each problem by field; `message` lists them too, so that the model can correct
    all of them in one go.
    """

    details: tuple[FieldProblem, ...]

    def __init__(
        self, message: str, *, hint: str | None = None, details: Iterable[FieldProblem] = ()
    ) -> None:
        super().__init__("invalid-input", message, hint=hint)
        self.args = (message,)
        self.details = tuple(details)


class CharacterFieldValidationError(ToolValidationError):
    """Character fields do not fit the session's character schema; nothing is written then."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The IDs of the top-level attributes that are wrong, each once, in order."""
        return tuple(dict.fromkeys(problem.path.split(".", 1)[0] for problem in self.details))


def is_tool_error(error: object) -> TypeGuard[ToolError]:
    """Whether `error` is a tool error: sub-classes and those of another copy of the SDK count."""
    if isinstance(error, ToolError):
        return True
    if not isinstance(error, BaseException):
        return False
    return (
        any(base.__name__ == "ToolError" for base in type(error).__mro__)
        and getattr(error, "code", None) in TOOL_ERROR_CODES
        and isinstance(getattr(error, "message", None), str)
        and isinstance(getattr(error, "hint", None), (str, type(None)))
    )


def problems_message(problems: Iterable[FieldProblem]) -> str:
    """The text of a validation error: one problem a line, each led by its field path."""
    return "\n".join(str(problem) for problem in problems)
